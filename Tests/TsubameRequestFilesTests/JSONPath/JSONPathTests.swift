// JSONPathTests: the examples of RFC 9535, and texts that are no query.

import Testing

@testable import TsubameRequestFiles

/// A query on a document, and the selected values as JSON texts.
struct QueryRow: Sendable, CustomTestStringConvertible {
    let query: String
    let found: [String]

    init(_ query: String, _ found: String...) { (self.query, self.found) = (query, found) }

    var testDescription: String { query }
}

@Suite struct JSONPathTests {
    private func check(_ row: QueryRow, _ document: String) throws {
        let values = try JSONPath(row.query).values(in: JSONValue(document))
        #expect(values.map(\.compactText) == row.found, "\(row.query)")
    }

    // MARK: The examples of RFC 9535, by section

    static let store = """
        {"store": {"book": [
          {"category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95},
          {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99},
          {"category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99},
          {"category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8",
           "price": 22.99}], "bicycle": {"color": "red", "price": 399}}}
        """

    @Test(arguments: [
        QueryRow(
            "$.store.book[*].author", #""Nigel Rees""#, #""Evelyn Waugh""#, #""Herman Melville""#,
            #""J. R. R. Tolkien""#),
        QueryRow("$..author", #""Nigel Rees""#, #""Evelyn Waugh""#, #""Herman Melville""#, #""J. R. R. Tolkien""#),
        QueryRow("$.store..price", "8.95", "12.99", "8.99", "22.99", "399"),
        QueryRow("$..book[2].author", #""Herman Melville""#), QueryRow("$..book[2].publisher"),
        QueryRow("$..book[-1].title", #""The Lord of the Rings""#),
        QueryRow("$..book[0,1].price", "8.95", "12.99"), QueryRow("$..book[:2].price", "8.95", "12.99"),
        QueryRow("$..book[?@.isbn].title", #""Moby Dick""#, #""The Lord of the Rings""#),
        QueryRow("$..book[?@.price<10].title", #""Sayings of the Century""#, #""Moby Dick""#),
    ])
    func `section 1_5`(row: QueryRow) throws { try check(row, Self.store) }

    @Test(arguments: [
        QueryRow("$.o['j j']", #"{"k.k":3}"#), QueryRow("$.o['j j']['k.k']", "3"), QueryRow(#"$.o["j j"]["k.k"]"#, "3"),
        QueryRow(#"$["'"]["@"]"#, "2"), QueryRow("$", #"{"o":{"j j":{"k.k":3}},"'":{"@":2}}"#),
    ])
    func `section 2_3_1, names`(row: QueryRow) throws { try check(row, #"{"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}"#) }

    @Test(arguments: [
        QueryRow("$[*]", #"{"j":1,"k":2}"#, "[5,3]"), QueryRow("$.o[*]", "1", "2"),
        QueryRow("$.o[*, *]", "1", "2", "1", "2"), QueryRow("$.a[*]", "5", "3"),
    ])
    func `section 2_3_2, wildcards`(row: QueryRow) throws { try check(row, #"{"o": {"j": 1, "k": 2}, "a": [5, 3]}"#) }

    @Test(arguments: [
        QueryRow("$[1]", #""b""#), QueryRow("$[-2]", #""f""#), QueryRow("$[7]"), QueryRow("$[-8]"),
        QueryRow("$[1:3]", #""b""#, #""c""#), QueryRow("$[5:]", #""f""#, #""g""#),
        QueryRow("$[1:5:2]", #""b""#, #""d""#), QueryRow("$[5:1:-2]", #""f""#, #""d""#),
        QueryRow("$[::-1]", #""g""#, #""f""#, #""e""#, #""d""#, #""c""#, #""b""#, #""a""#),
        QueryRow("$[1:5:0]"), QueryRow("$[-100:100:5]", #""a""#, #""f""#), QueryRow("$[ 1 : 3 : 1 ]", #""b""#, #""c""#),
        QueryRow("$[100:-100:-3]", #""g""#, #""d""#, #""a""#), QueryRow("$[3:1]"), QueryRow("$[:]['x']"),
        QueryRow("$[9007199254740991]"), QueryRow("$[-9007199254740991:9007199254740991:9007199254740991]", #""a""#),
        QueryRow("$[0, 3]", #""a""#, #""d""#), QueryRow("$[0:2, 5]", #""a""#, #""b""#, #""f""#),
        QueryRow("$[0, 0]", #""a""#, #""a""#),
    ])
    func `sections 2_3_3, 2_3_4 and 2_5_1, elements`(row: QueryRow) throws {
        try check(row, #"["a", "b", "c", "d", "e", "f", "g"]"#)
    }

    static let filtered = """
        {"a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
         "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}, "e": "f"}
        """

    @Test(arguments: [
        QueryRow("$.a[?@.b == 'kilo']", #"{"b":"kilo"}"#), QueryRow("$.a[?(@.b == 'kilo')]", #"{"b":"kilo"}"#),
        QueryRow("$.a[?@>3.5]", "5", "4", "6"),
        QueryRow("$.a[?@.b]", #"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":{}}"#, #"{"b":"kilo"}"#),
        QueryRow("$[?@[?@.b]][0]", "3"), QueryRow("$.o[?@<3, ?@<3]", "1", "2", "1", "2"),
        QueryRow(#"$.a[?@<2 || @.b == "k"]"#, "1", #"{"b":"k"}"#),
        QueryRow(#"$.a[?match(@.b, "[jk]")]"#, #"{"b":"j"}"#, #"{"b":"k"}"#),
        QueryRow(#"$.a[?search(@.b, "[jk]")]"#, #"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":"kilo"}"#),
        QueryRow("$.o[?@>1 && @<4]", "2", "3"), QueryRow("$.o[?@.u || @.x]", #"{"u":6}"#),
        QueryRow("$.a[?@.b == $.x]", "3", "5", "1", "2", "4", "6"),
        QueryRow(
            "$.a[?@ == @]", "3", "5", "1", "2", "4", "6", #"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":{}}"#, #"{"b":"kilo"}"#),
        QueryRow("$[?@.*][0]", "3"), QueryRow("$.a[?!@.b && !(@ > 2)]", "1", "2"),
        QueryRow("$.a[?length(@.b) == 4]", #"{"b":"kilo"}"#),
        QueryRow("$.a[?count(@.*) == 1].b", #""j""#, #""k""#, "{}", #""kilo""#),
        QueryRow("$.a[?value(@.b) == 'j']", #"{"b":"j"}"#), QueryRow("$.o[?@ >= 3 && @ <= 5]", "3", "5"),
        QueryRow("$.a[?match(@.b, $.e)]"), QueryRow("$.a[?search($.e, $.e) && @ == 3]", "3"),
        // A text that is no pattern matches nothing.
        QueryRow("$.a[?search(@.b, '(')]"),
    ])
    func `sections 2_3_5 and 2_4, filters`(row: QueryRow) throws { try check(row, Self.filtered) }

    @Test(arguments: [
        ("$.absent1 == $.absent2", true), ("$.absent1 <= $.absent2", true), ("$.absent == 'g'", false),
        ("$.absent1 != $.absent2", false), ("$.absent != 'g'", true), ("1 <= 2", true), ("1 > 2", false),
        ("13 == '13'", false), ("'a' <= 'b'", true), ("'a' > 'b'", false), ("$.obj == $.arr", false),
        ("$.obj != $.arr", true), ("$.obj == $.obj", true), ("$.obj != $.obj", false), ("$.arr == $.arr", true),
        ("$.arr != $.arr", false), ("$.obj == 17", false), ("$.obj != 17", true), ("$.obj <= $.arr", false),
        ("$.obj < $.arr", false), ("$.obj <= $.obj", true), ("$.arr <= $.arr", true), ("1 <= $.arr", false),
        ("1 >= $.arr", false), ("1 > $.arr", false), ("1 < $.arr", false), ("true <= true", true),
        ("true > true", false),
        ("1.0 == 1", true), ("1e2 == 100", true), ("-0 == 0", true), ("null == null", true), ("null == false", false),
        (#""\u71d5" == '燕'"#, true), (#"'\ud83d\udc26' == '🐦'"#, true), ("length('🐦') == 1", true),
        ("9007199254740993 == 9007199254740992", false),
    ])
    func `section 2_3_5_3, comparisons`(expression: String, holds: Bool) throws {
        let document = try JSONValue(#"{"obj": {"x": "y"}, "arr": [2, 3]}"#)
        let found = try JSONPath("$[?\(expression)]").values(in: document)
        #expect(found.isEmpty != holds, "\(expression)")
    }

    @Test(arguments: [
        QueryRow("$..j", "1", "4"), QueryRow("$..[0]", "5", #"{"j":4}"#), QueryRow("$..o", #"{"j":1,"k":2}"#),
        QueryRow("$.o..[*, *]", "1", "2", "1", "2"), QueryRow("$.a..[0, 1]", "5", "3", #"{"j":4}"#, #"{"k":6}"#),
        QueryRow(
            "$..*", #"{"j":1,"k":2}"#, #"[5,3,[{"j":4},{"k":6}]]"#, "1", "2", "5", "3", #"[{"j":4},{"k":6}]"#,
            #"{"j":4}"#, #"{"k":6}"#, "4", "6"),
    ])
    func `section 2_5_2, descendants`(row: QueryRow) throws {
        try check(row, #"{"o": {"j": 1, "k": 2}, "a": [5, 3, [{"j": 4}, {"k": 6}]]}"#)
    }

    @Test(arguments: [
        QueryRow("$.a", "null"), QueryRow("$.a[0]"), QueryRow("$.a.d"), QueryRow("$.b[0]", "null"),
        QueryRow("$.b[*]", "null"), QueryRow("$.b[?@]", "null"), QueryRow("$.b[?@==null]", "null"),
        QueryRow("$.c[?@.d==null]"), QueryRow("$.null", "1"),
    ])
    func `section 2_6, null`(row: QueryRow) throws {
        try check(row, #"{"a": null, "b": [null], "c": [{}], "null": 1}"#)
    }

    // MARK: Texts that are no query

    @Test(arguments: [
        ("", 0), ("a", 0), (" $", 0), ("$ ", 1), ("$.", 2), ("$. a", 2), ("$..", 3), ("$...a", 3), ("$a", 1),
        ("$.1a", 2),
        ("$[", 2), ("$[]", 2), ("$[0", 1), ("$[0,]", 4), ("$[01]", 2), ("$[-0]", 2), ("$[-]", 3), ("$[1.0]", 3),
        ("$[9007199254740992]", 2), ("$['a]", 2), ("$['\u{1}']", 3), (#"$['\x']"#, 3), (#"$['\u12']"#, 3),
        (#"$['\ud800']"#, 3), (#"$['\udc00']"#, 3), (#"$['\ud800\u0041']"#, 3), (#"$["\'"]"#, 3), ("$[a]", 2),
        ("$[?]", 3), ("$[?1]", 3), ("$[?true]", 3), ("$[?@.a ==]", 9), ("$[?@.* == 1]", 3), ("$[?@..a == 1]", 3),
        ("$[?length(@.*) < 3]", 10), ("$[?count(1) == 1]", 9), ("$[?count(foo(@.*)) == 1]", 9),
        ("$[?match(@.a, 'b') == true]", 3), ("$[?value(@..color)]", 3), ("$[?length(@)]", 3), ("$[?foo(@)]", 3),
        ("$[?count(@, @)]", 10), ("$[?match(@)]", 10), ("$[?(@.a]", 3), ("$[?!1 == 1]", 4), ("$[?@ = 1]", 5),
        ("$[?@ && ]", 8), ("$[?@.a == 01]", 10), ("$[?@.a == 1.]", 12), ("$[?@.a == .5]", 10), ("$[?@.a == 1e]", 12),
        ("$[?@.a == TRUE]", 10), ("$[1:2:3:4]", 7),
    ])
    func `another text is refused at its place`(text: String, offset: Int) {
        #expect(throws: JSONPath.Problem.self) { try JSONPath(text) }
        do throws(JSONPath.Problem) {
            _ = try JSONPath(text)
        } catch {
            #expect(error.offset == offset, "\(text): \(error)")
        }
    }

    @Test func `nested queries and parentheses have a limit`() throws {
        let deep = "$[?" + String(repeating: "(", count: 1_000) + "@"
        #expect(throws: JSONPath.Problem.self) { try JSONPath(deep) }
        #expect(throws: JSONPath.Problem.self) { try JSONPath(String(repeating: "$[?@", count: 1_000)) }
        #expect(throws: JSONPath.Problem.self) { try JSONPath("$[?" + String(repeating: "length(", count: 1_000)) }
        _ = try JSONPath("$[?" + String(repeating: "(", count: 50) + "@" + String(repeating: ")", count: 50) + "]")
    }

    @Test func `a query whose values multiply is ended`() throws {
        let nested = String(repeating: "[[],", count: 200) + "1" + String(repeating: "]", count: 200)
        let document = try JSONValue(nested)
        #expect(throws: JSONPath.TooMany.self) { try JSONPath("$..[*]..[*]..[*]..[*]").values(in: document) }
        #expect(try JSONPath("$..[*]").values(in: document).count == 400)
    }

    @Test func `a query that names one value is singular`() throws {
        for (text, isSingular) in [
            ("$", true), ("$.a['b'][0]", true), ("$.a[*]", false), ("$..a", false), ("$[0,1]", false),
            ("$[0:1]", false),
            ("$[?@.a]", false),
        ] {
            #expect(try JSONPath(text).isSingular == isSingular, "\(text)")
        }
    }

    @Test func `of two members with one name the last one counts`() throws {
        let document = try JSONValue(#"{"a": 1, "a": 2, "b": 3}"#)
        #expect(try JSONPath("$.a").values(in: document) == [.integer(2)])
        #expect(try JSONPath("$[*]").values(in: document) == [.integer(2), .integer(3)])
    }
}
