// KeyValueTextTests: the format `k=v&k=v&END`.

import Testing
import TsubameWire

@Suite struct KeyValueTextTests {
    private func pairs(_ text: String, terminator: String = "END", isPercentEncoded: Bool = false) throws -> [String] {
        try KeyValueText.decode(text, terminator: terminator, isPercentEncoded: isPercentEncoded)
            .map { "\($0.name)→\($0.value)" }
    }

    @Test func pairsComeInOrderAndRepeat() throws {
        #expect(try pairs("b=1&a=2&b=3&END") == ["b→1", "a→2", "b→3"])
        #expect(try KeyValueText.decode("b=1&a=2&END")["a"] == "2")
    }

    @Test(arguments: [
        ("END", []), ("a=1&END&b=2", ["a→1"]), ("a=1&END\r\n", ["a→1"]), ("a=1&END &b=2&END", ["a→1"]),
        ("a=1&END\0\0", ["a→1"]), ("a=b=c=&END", ["a→b=c="]), ("a&b=&=c&=&END", ["a→", "b→", "→c", "→"]),
        ("&&a=1&&END", ["a→1"]), ("END=1&ENDED&ENDPOINT=x&END", ["END→1", "ENDED→", "ENDPOINT→x"]),
        ("a=END&b=&END", ["a→END", "b→"]), ("名=燕 雀&END", ["名→燕 雀"]), ("a=%20+&END", ["a→%20+"]),
    ])
    func theTextIsReadUpToItsTerminator(_ text: String, _ expected: [String]) throws {
        #expect(try pairs(text) == expected)
    }

    @Test(arguments: ["", "&", "a=1", "a=1&", "a=1&EN", "a=1&end", "a=1&b=END", "a=1&ENDx", "a=1END", "a=1& END"])
    func withoutItsTerminatorTheTextIsIncomplete(_ text: String) {
        #expect(throws: KeyValueTextError.missingTerminator("END")) { try KeyValueText.decode(text) }
    }

    @Test func everyCutOfAWholeTextIsIncomplete() throws {
        let text = "key=value&other=燕=1&END"
        for length in text.indices {
            #expect(throws: KeyValueTextError.missingTerminator("END")) {
                try KeyValueText.decode(String(text[..<length]))
            }
        }
        #expect(try pairs(text).count == 2)
    }

    @Test func theTerminatorCanBeAnotherOrNone() throws {
        #expect(try pairs("a=1&.&b=2", terminator: ".") == ["a→1"])
        #expect(try pairs("a=1&終&b=2", terminator: "終") == ["a→1"])
        #expect(try pairs("a=1&&END", terminator: "") == ["a→1", "END→"])
        #expect(throws: KeyValueTextError.missingTerminator(".")) { try pairs("a=1&END", terminator: ".") }
    }

    @Test func escapesAreUndoneWhereAsked() throws {
        #expect(try pairs("a%3D=%26%E7%87%95+%zz&END", isPercentEncoded: true) == ["a=→&燕+%zz"])
        #expect(try pairs("a=%26END&END", isPercentEncoded: true) == ["a→&END"])
    }
}
