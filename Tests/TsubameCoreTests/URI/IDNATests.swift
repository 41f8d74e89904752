// IDNATests: host names in other scripts: BAD-INPUT 26, "IDN → UTS 46". Scripts/tables/check-idna.py makes the expected
// values.

import Testing

@testable import TsubameCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct IDNATests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// nil if the name is refused.
        let host: String?

        var testDescription: String { name }

        init?(_ line: some StringProtocol) {
            let parts = line.split(separator: "\t")
            guard parts.count == 2 else { return nil }
            name = Self.unescaped(parts[0])
            host = parts[1] == "!" ? nil : Self.unescaped(parts[1])
        }

        /// Decodes `\u{…}`.
        private static func unescaped(_ text: some StringProtocol) -> String {
            var result = String.UnicodeScalarView()
            var rest = Substring(text).unicodeScalars
            while let scalar = rest.popFirst() {
                guard scalar == "\\", let close = rest.firstIndex(of: "}"),
                    let value = UInt32(String(rest[..<close].dropFirst(2)), radix: 16),
                    let meant = Unicode.Scalar(value)
                else {
                    result.append(scalar)
                    continue
                }
                result.append(meant)
                rest = rest[rest.index(after: close)...]
            }
            return String(result)
        }

        static func all(in text: String) -> [Case] { text.split(separator: "\n").compactMap { Case($0) } }
    }

    private static func host(_ name: String) -> String? { try? TargetURI(parsing: "http://\(name)/").host }

    @Test("BAD-INPUT 26: a name is what UTS 46 makes of it, or refused", arguments: Case.all(in: IDNACases.text))
    func cases(example: Case) {
        #expect(Self.host(example.name) == example.host)
    }

    @Test func everyNameIsItsOwnALabel() {
        for example in Case.all(in: IDNACases.text) {
            guard let host = example.host else { continue }
            #expect(Self.host(host) == host)
            #expect(Self.host(host.uppercased()) == host)
        }
    }

    @Test func everyCodePointIsTakenOrRefusedAsUnicodeSays() {
        var count = 0
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        // CJK ideographs, Hangul syllables, Tangut and Khitan, and the seals: one in 64 of them is enough.
        let large = [0x3400..<0xA000, 0xAC00..<0xE000, 0x17000..<0x18E00, 0x20000..<0x40000]
        // All other assigned characters are for private use.
        for value in [0x80..<0xE000, 0xF900..<0x40000, 0xE0000..<0xE1000].joined() {
            if value % 64 != 0, large.contains(where: { $0.contains(value) }) { continue }
            guard let scalar = Unicode.Scalar(UInt32(value)), let host = Self.host("a\(scalar)") else { continue }
            count += 1
            for byte in host.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
            digest = (digest ^ 0x0A) &* 0x100_0000_01B3
        }
        #expect(count == 38_666)
        #expect(digest == 0x24E3_9ACD_5E56_4EA0)
        for value in [0xE000..<0xF900, 0x40000..<0xE0000, 0xE1000..<0x110000].joined() where value % 97 == 0 {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect(Self.host("a\(scalar)") == nil)
        }
    }

    /// A file that `check-idna.py make` has written.
    private static let file = ProcessInfo.processInfo.environment["TSUBAME_IDNA_CASES"]

    @Test(.enabled(if: file != nil)) func everyCaseOfAFileIsReadAsItSays() throws {
        let text = String(decoding: try Data(contentsOf: URL(filePath: try #require(Self.file))), as: UTF8.self)
        let cases = Case.all(in: text)
        #expect(cases.count == text.split(separator: "\n").count)
        for example in cases {
            let host = Self.host(example.name)
            #expect(host == example.host, "\(example.name.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }

    @Test(
        "BAD-INPUT 26: what is refused says which character or label it is, and what to do",
        arguments: [
            ("http://a\u{FFFD}.example/", "U+FFFD"), ("http://\u{301}a/", "U+0301"), ("http://a\u{200D}b/", "U+200D"),
            ("http://xn--9/", "no A-label"), ("http://\u{5D0}b/", "directions"), ("http://a\u{2100}/", "(/)"),
            ("http://\(String(repeating: "ä", count: 64))/", "63"), ("http://ä..b/", "empty label"),
            ("http://\u{AD}/", "no host"), ("http://\(String(repeating: "ä.", count: 400))a/", "253"),
            ("http://%C3/", "UTF-8"), ("http://\(String(repeating: "ä", count: 2000))/", "253"),
        ])
    func reasons(url: String, words: String) {
        let error = #expect(throws: CallError.self) { try TargetURI(parsing: url) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.reason.contains(words) == true)
    }
}

@Suite struct PunycodeTests {
    /// Some examples of RFC 3492 section 7.1.
    @Test(arguments: [
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"), ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"), ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
        ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"), ("ü", "tda"), ("", ""), ("😀", "e28h"),
    ])
    func namesAreEncodedAndDecoded(name: String, encoded: String) {
        let scalars = name.unicodeScalars.map(\.value)
        #expect(Punycode.encode(scalars) == Array(encoded.utf8))
        #expect(Punycode.decode(Array(encoded.utf8)) == scalars)
    }

    @Test(
        "BAD-INPUT 26: what no encoder writes is refused, and traps nowhere",
        arguments: [
            "a-é", "a-!", "-", "-foo", "9", "a-9", "zzzzzzzzzzzzzzzzzzzz", "99999999999999999999", "a-99999999", "0",
            "k9999999", "ib9b", "zy0c",
        ])
    func refused(text: String) {
        #expect(Punycode.decode(Array(text.utf8)) == nil)
    }

    @Test func whateverIsDecodedIsEncodedTheSame() {
        // Every text of up to three letters, digits and hyphens, and texts that begin with each.
        let letters = Array("abkyz019-".utf8)
        for first in letters {
            for second in letters {
                for third in letters {
                    for end in ["", "a", "b9", "-a0", "zzz"] {
                        let text = [first, second, third] + Array(end.utf8)
                        guard let scalars = Punycode.decode(text), scalars.contains(where: { $0 >= 0x80 }) else {
                            continue
                        }
                        #expect(Punycode.encode(scalars) == text)
                    }
                }
            }
        }
    }
}
