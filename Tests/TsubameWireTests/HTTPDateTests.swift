// Dates in fields, RFC 9110 §5.6.7.

import Testing
import TsubameWire

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
    ])
    func allThreeFormsAreTheSameMoment(_ text: String) {
        #expect(HTTPDate.parse(text) == 784_111_777)
    }

    @Test func theFieldIsWrittenAsIMFFixdate() {
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.format(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.format(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func whatIsWrittenIsReadAgain() {
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 40_000_003) {
            #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
        }
    }

    @Test func extremeYearsAreRead() {
        #expect(HTTPDate.parse("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
        #expect(HTTPDate.parse("Sat, 01 Jan 0000 00:00:00 GMT") == -62_167_219_200)
        #expect(HTTPDate.parse("Mon, 01 Jan 1601 00:00:00 GMT") == -11_644_473_600)
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
        #expect(HTTPDate.parse("Wed Feb 29 00:00:00 2012") == 1_330_473_600)
        #expect(HTTPDate.parse("Wed Feb 10 00:00:00 2012") == 1_328_832_000)
    }

    @Test func aShortYearIsAtMost50YearsAhead() {
        let in2026: Int64 = 1_795_235_747
        func year(_ text: String, now: Int64? = nil) -> Int64? {
            HTTPDate.parse("Sunday, 06-Nov-\(text) 08:49:37 GMT", now: now)
                .map { CivilTime(secondsSince1970: $0).year }
        }
        #expect(year("94", now: in2026) == 1994)
        #expect(year("76", now: in2026) == 2076)
        #expect(year("77", now: in2026) == 1977)
        #expect(year("26", now: in2026) == 2026)
        #expect(year("10", now: 3_000_000_000) == 2110)
        #expect(year("94", now: 0) == 1994)
        #expect(year("94", now: .max) == 9994)
        #expect(year("94", now: .min) == 1994)
        #expect(year("69") == 2069)
        #expect(year("70") == 1970)
    }

    @Test(arguments: [
        "", " ", "0", "-1", "Sun", "Sun,", "Sun, ", "Sun, 06", "garbage", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Foo, 06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        "Sun Nov   6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Sun, ０６ Nov 1994 08:49:37 GMT",
        "784111777", "1994-11-06T08:49:37Z",
    ])
    func everythingElseIsNoDate(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func noCutOrChangedByteTraps() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            for length in 0..<text.utf8.count {
                #expect(HTTPDate.parse(String(decoding: text.utf8.prefix(length), as: UTF8.self)) == nil)
                for byte in UInt8.min...UInt8.max {
                    var bytes = Array(text.utf8)
                    bytes[length] = byte
                    let changed = String(decoding: bytes, as: UTF8.self)
                    _ = HTTPDate.parse(changed, now: 0)
                    _ = CookieDate.parse(changed)
                }
            }
        }
    }
}
