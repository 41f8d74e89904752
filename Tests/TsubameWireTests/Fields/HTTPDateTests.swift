// HTTPDateTests: dates in fields, RFC 9110 §5.6.7.

import Testing
import TsubameWire

@Suite struct HTTPDateTests {
    @Test func theFieldIsWrittenAsIMFFixdate() {
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.format(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.format(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func whatIsWrittenIsReadAgain() {
        for seconds in stride(from: Int64(-11_644_473_600), through: 253_402_300_799, by: 40_000_003) {
            #expect(CookieDate.parse(HTTPDate.format(seconds)) == seconds)
            #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
        }
    }

    /// Dates in 2050 and in 1994, in the formats of RFC 9110.
    private static let dates: [(String, Int64)] = [
        ("Thu, 18 Aug 2050 02:01:18 GMT", 2_544_400_878), ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Thu Aug 18 02:01:18 2050", 2_544_400_878), ("thu, 18 aug 2050 02:01:18 gmt", 2_544_400_878),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 06 08:49:37 1994", 784_111_777),
        ("Tue, 30 Jun 2015 23:59:60 GMT", 1_435_708_800),
    ]

    @Test(arguments: dates)
    func `RFC 9110 5.6.7: the three forms of a date are read`(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.parse(text) == seconds)
    }

    /// Texts that resemble dates.
    static let malformed = [
        "", "0", "-1", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC",
        "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
        "Thursday, 18 Aug 2050 02:01:18 GMT", "18 Aug 2050 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
        "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 02:01 GMT", "Thu, 8 Aug 2050 02:01:18 GMT",
        "Thu, 18 August 2050 02:01:18 GMT", "Xyz, 18 Aug 2050 02:01:18 GMT", "Thu, 31 Feb 2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 25:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT;",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "Thu Aug 18 02:01:18 2050 GMT",
        "2050-08-18T02:01:18Z",
    ]

    @Test(arguments: malformed)
    func `FAULT 20: a text in another form than the three is no date`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
