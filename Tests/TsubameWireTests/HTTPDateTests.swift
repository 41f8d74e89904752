// Dates in fields, RFC 9110 §5.6.7.

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
        }
    }
}
