// CookieDateTests: the dates of Expires, RFC 6265bis §5.1.1.

import Testing
import TsubameWire

@Suite struct CookieDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 Nov 94 08:49:37", "1994 nov 6 8:49:37", "08:49:37 6 November 1994", "Nov/6/1994;08:49:37",
        "6th Nov 1994yr 08:49:37pm", "Sun,06-Nov-1994 08:49:37 UTC", "\t06\tNOVEMBER\t94\t08:49:37\t",
        "Sun, 06-Nov-1994 08:49:37 GMT garbage 07 Dec 2000 01:02:03", "Sun, 06 Nov 1994 08:49:37 +0900",
    ])
    func datesAreReadInAnyOrderAndSpelling(_ text: String) {
        #expect(CookieDate.parse(text) == 784_111_777)
    }

    @Test func shortYearsAreOfTheTwentiethOrTwentyFirstCentury() {
        func year(_ text: String) -> Int64? {
            CookieDate.parse("06 Nov \(text) 08:49:37").map { CivilTime(secondsSince1970: $0).year }
        }
        #expect(year("70") == 1970)
        #expect(year("99") == 1999)
        #expect(year("00") == 2000)
        #expect(year("69") == 2069)
        #expect(year("069") == 2069)
        #expect(year("100") == nil)
        #expect(year("1600") == nil)
        #expect(year("1601") == 1601)
        #expect(year("9999") == 9999)
        #expect(year("10000") == nil)
        #expect(year("99999999999999999999") == nil)
    }

    @Test(arguments: [
        "", ";", "garbage", "06 Nov 1994", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37",
        "31 Feb 1994 08:49:37", "32 Nov 1994 08:49:37", "00 Nov 1994 08:49:37", "06 Nov 1994 24:00:00",
        "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "06 Nov 1994 008:49:37", "06 Nov 1994 08:49",
        "06 Nov 1994 08:49:", "06 Nov 1994 :49:37", "06 Nov 1994 0x8:49:37", "06 Nov 1994 8a:49:37",
        "06 No 1994 08:49:37", "-06 Nov -1 08:49:37", "06 Nov 1994 ::", "0", "Thu, 01 Jan 1970",
    ])
    func everythingElseIsNoDate(_ text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test func longTextsEndQuickly() {
        #expect(CookieDate.parse(String(repeating: "9", count: 100_000)) == nil)
        #expect(CookieDate.parse(String(repeating: "1:", count: 100_000)) == nil)
    }

    @Test func noCutOrChangedByteTraps() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            for length in 0..<text.utf8.count {
                for byte in UInt8.min...UInt8.max {
                    var bytes = Array(text.utf8)
                    bytes[length] = byte
                    _ = CookieDate.parse(String(decoding: bytes, as: UTF8.self))
                    _ = CookieDate.parse(String(decoding: bytes.prefix(length), as: UTF8.self))
                }
            }
        }
    }
}
