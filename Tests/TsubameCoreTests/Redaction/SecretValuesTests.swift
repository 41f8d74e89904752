// SecretValuesTests: a known secret is withheld in each form in which a text repeats it.

import Foundation
import Testing
import TsubameCore

@Suite struct SecretValuesTests {
    private func replaced(_ text: String, _ secrets: String...) -> String? {
        var values = SecretValues()
        for secret in secrets { values.insert(Array(secret.utf8)) }
        return values.replaced(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a value is withheld wherever it stands`() {
        #expect(replaced("s3cret-s3cret", "s3cret") == "[redacted]-[redacted]")
        #expect(replaced("xs3cretx", "s3cret") == "x[redacted]x")
        #expect(replaced("s3crets3cret-long", "s3cret", "s3cret-long") == "[redacted][redacted]")
        #expect(replaced("s3s3cret", "s3cret") == "s3[redacted]")
        #expect(replaced("s3cre", "s3cret") == nil)
        #expect(replaced("", "s3cret") == nil && replaced("anything") == nil)
    }

    @Test func `a value that would be found in innocent words is not`() {
        #expect(replaced("abcde", "abcde") == nil)
    }

    @Test(arguments: ["a b&c+d=é", "quote\"back\\slash/", "line\nend", "emoji😀value"])
    func `its forms in URLs, in forms and in JSON are withheld`(_ secret: String) throws {
        let url = PercentEncoding.encode(secret)
        let form = PercentEncoding.encode(secret, spaceAsPlus: true)
        let json = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self)
        let twice = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
        #expect(replaced("?q=\(url)&p=\(form)", secret) == "?q=[redacted]&p=[redacted]")
        #expect(replaced(json, secret) == "\"[redacted]\"")
        #expect(replaced(twice, secret) == "\"\\\"[redacted]\\\"\"")
    }

    @Test func `a value is known only once`() {
        var values = SecretValues()
        #expect(values.isEmpty)
        let first = values.insert(Array("s3cret".utf8))
        let second = values.insert(Array("s3cret".utf8))
        let short = values.insert(Array("abc".utf8))
        #expect(first && !second && !short && !values.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    func `BAD-INPUT: thousands of secrets with the same beginning are learnt and found`() {
        var secrets = SecretValues()
        let tokens = (0..<20_000).map { "eyJhbGciOiJ\($0)" }
        for token in tokens { secrets.insert(token.utf8) }
        let text = tokens.prefix(1_000).joined(separator: " ")
        let shown = secrets.replaced(in: Array(text.utf8))
        let expected = Array(repeating: "[redacted]", count: 1_000).joined(separator: " ")
        #expect(shown == Array(expected.utf8))
    }

    @Test(.timeLimit(.minutes(1)))
    func `BAD-INPUT: a text that takes too long to search is withheld as a whole`() {
        var secrets = SecretValues()
        // One beginning, all lengths, and a text full of the beginning.
        for length in stride(from: 6, through: 4_000, by: 20) {
            secrets.insert(Array("abcdef".utf8) + Array(repeating: 0x78, count: length))
        }
        let text = Array(String(repeating: "abcdef", count: 1 << 14).utf8)
        #expect(secrets.replaced(in: text) == Array("[redacted]".utf8))
        #expect(secrets.replaced(in: Array("a text without the beginning".utf8)) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `BAD-INPUT: secrets beyond a limit are not kept`() {
        var secrets = SecretValues()
        var learnt = 0
        for number in 0..<20_000 where secrets.insert(Array("\(number):".utf8) + Array(repeating: 0x78, count: 3_000)) {
            learnt += 1
        }
        #expect(learnt > 1_000 && learnt < 6_000)
    }
}
