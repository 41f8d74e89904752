// LinkFieldTests: the target of a relation in the field Link.

import Testing
import TsubameWire

@Suite struct LinkFieldTests {
    @Test(arguments: [
        (["<https://a.example/?page=2>; rel=\"next\""], "https://a.example/?page=2"),
        (["<a>; rel=prev, <b>; rel=next"], "b"), (["<a>; rel=prev", "<b>; rel=next"], "b"),
        (["<b>;rel=NEXT"], "b"), (["<b> ; REL = \"prev next\""], "b"),
        (["<b>; title=\"a, <x>; rel=next\"; rel=last"], nil),
        (["<b>; title=\"a\\\"b\"; rel=next"], "b"), (["<b>; rel=prev; rel=next"], nil), (["<b>"], nil), ([""], nil),
        (["<b"], nil), (["<a>; anchor=\"#x\"; rel=next, <b>; rel=next"], "b"), (["b>; rel=next"], nil),
        (["<>; rel=next"], ""), (["<a,b;c>; rel=next"], "a,b;c"),
        (["<a>; rel=\"next"], "a"), (["<a>; rel"], nil), (["<a>;;; rel=next"], "a"),
        (["<a> rel=next, <b>; rel=next"], "b"),
        (["<a>; rel=nextpage"], nil), ([], nil),
    ])
    func `RFC 8288: the first link of the relation counts`(_ fields: [String], _ expected: String?) {
        #expect(LinkField.target(of: "next", in: fields) == expected)
    }

    @Test func `a long field is read once`() {
        let field = String(repeating: "<a>; rel=prev, ", count: 20_000) + "<b>; rel=next"
        #expect(LinkField.target(of: "next", in: [field]) == "b")
        #expect(LinkField.target(of: "next", in: [String(repeating: "<", count: 200_000)]) == nil)
    }
}
