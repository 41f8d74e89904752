// PercentEncodingTests: percent-encoding, RFC 3986 §2.1.

import Testing
import TsubameCore

@Suite struct PercentEncodingTests {
    @Test func everyByteButTheUnreservedIsEscapedInUpperCase() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16, uppercase: true)
            let escape = digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            let isUnreserved = unreserved.utf8.contains(byte)
            #expect(PercentEncoding.encode([byte]) == (isUnreserved ? String(UnicodeScalar(byte)) : escape))
        }
    }

    @Test func aConnectorsProofComesOutToTheByte() {
        #expect(
            PercentEncoding.encode("!*'();:@&=+$,/?%#[]-._~ ")
                == "%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20")
    }

    @Test func textIsEscapedAsUTF8() {
        #expect(PercentEncoding.encode("燕 é") == "%E7%87%95%20%C3%A9")
        #expect(PercentEncoding.encode("a\r\n\0") == "a%0D%0A%00")
    }

    @Test func whatNeedsNoEscapeStaysAsItIs() {
        #expect(PercentEncoding.encode("") == "")
        #expect(PercentEncoding.encode("plain-text_1.0~") == "plain-text_1.0~")
        #expect(PercentEncoding.decode("plain") == "plain")
    }

    @Test func extraCharactersAreKept() {
        #expect(PercentEncoding.encode("a:b@c/d?e%f", allowing: ASCIISet(":@")) == "a:b@c%2Fd%3Fe%25f")
        #expect(PercentEncoding.encode("a/b c", allowing: ASCIISet("/")) == "a/b%20c")
    }

    @Test func aSpaceIsPlusWhereAsked() {
        #expect(PercentEncoding.encode("a b+c", spaceAsPlus: true) == "a+b%2Bc")
        #expect(PercentEncoding.encode(" ", spaceAsPlus: true) == "+")
        #expect(PercentEncoding.encode("a b") == "a%20b")
    }

    @Test func decodingUndoesEncodingOfEveryScalarPlane() {
        let text = String(String.UnicodeScalarView((0..<0x11_0000).stride(by: 331).compactMap { UnicodeScalar($0) }))
        #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        #expect(PercentEncoding.decodeLeniently(PercentEncoding.encode(text)) == text)
        #expect(
            PercentEncoding.decode(PercentEncoding.encode(text, spaceAsPlus: true), plusAsSpace: true) == text)
    }

    @Test(arguments: ["%", "%4", "a%", "%zz", "%4g", "%g4", "%%41", "%+1", "%FF", "%E7%87", "%C0%80", "%ED%A0%80"])
    func malformedEscapesAndIllFormedUTF8AreRefused(_ text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func lenientDecodingKeepsWhatIsMalformed() {
        #expect(PercentEncoding.decodeLeniently("100%") == "100%")
        #expect(PercentEncoding.decodeLeniently("%4") == "%4")
        #expect(PercentEncoding.decodeLeniently("%zz%41%4") == "%zzA%4")
        #expect(PercentEncoding.decodeLeniently("%%41") == "%A")
        #expect(PercentEncoding.decodeLeniently("a%FFb") == "a\u{FFFD}b")
    }

    @Test func bothCasesOfDigitsAreRead() {
        #expect(PercentEncoding.decode("%e7%87%95%E7%87%95") == "燕燕")
    }

    @Test func plusIsASpaceOnlyWhereAsked() {
        #expect(PercentEncoding.decode("a+b%2B") == "a+b+")
        #expect(PercentEncoding.decode("a+b%2B", plusAsSpace: true) == "a b+")
    }
}

extension Range<Int> {
    fileprivate func stride(by step: Int) -> StrideTo<Int> {
        Swift.stride(from: lowerBound, to: upperBound, by: step)
    }
}
