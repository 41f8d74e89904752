// ParameterCodingTests: the options of ParameterCoding, encoded and decoded.

import Testing
import TsubameWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ParameterCodingTests {
    private struct Person: Codable, Equatable {
        var firstName = "Hana"
        var baseURL: URL? = URL(string: "https://a.example/?b=c")
        var isNew = true
        var tags = ["x", "y z"]
        var address = Address()
        var note: String?
        var born = Date(timeIntervalSince1970: 1_795_235_747.5)

        struct Address: Codable, Equatable {
            var postCode = 7
            var lines: [String?] = ["a", nil, "b"]
        }
    }

    private func text(_ coding: ParameterCoding) -> String {
        let parameters = Parameters(encoding: Person(), by: coding)
        #expect(parameters.failure == nil)
        return parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    @Test func theStandardIsBracketsWordsAndISO8601() {
        #expect(
            text(.standard)
                == "firstName=Hana&baseURL=https://a.example/?b=c&isNew=true&tags[]=x&tags[]=y z"
                + "&address[postCode]=7&address[lines][]=a&address[lines][]=b&born=2026-11-21T04:35:47Z")
    }

    @Test func everyOptionHasItsSpelling() {
        let coding = ParameterCoding(
            arrays: .indexed, booleans: .digits, nils: .null, nesting: .dots, keys: .snakeCase, dates: .secondsSince1970
        )
        #expect(
            text(coding)
                == "first_name=Hana&base_url=https://a.example/?b=c&is_new=1&tags[0]=x&tags[1]=y z"
                + "&address.post_code=7&address.lines[0]=a&address.lines[1]=null&address.lines[2]=b&note=null"
                + "&born=1795235747.5")
        #expect(
            text(ParameterCoding(arrays: .repeated, nils: .empty, dates: .millisecondsSince1970))
                == "firstName=Hana&baseURL=https://a.example/?b=c&isNew=true&tags=x&tags=y z&address[postCode]=7"
                + "&address[lines]=a&address[lines]=&address[lines]=b&note=&born=1795235747500")
    }

    @Test func aDateCanHaveATextOfOnesOwn() throws {
        let coding = ParameterCoding(
            dates: .custom(
                write: { "day \(Int($0.timeIntervalSince1970 / 86_400))" },
                read: { text in
                    text.hasPrefix("day ")
                        ? Int(text.dropFirst(4)).map { Date(timeIntervalSince1970: Double($0) * 86_400) } : nil
                }))
        let parameters = Parameters(encoding: ["d": Date(timeIntervalSince1970: 172_800)], by: coding)
        #expect(parameters["d"] == "day 2")
        #expect(try parameters.decode([String: Date].self, by: coding)["d"] == Date(timeIntervalSince1970: 172_800))
        #expect(throws: DecodingError.self) { try Parameters([("d", "2")]).decode([String: Date].self, by: coding) }
    }

    @Test(arguments: [
        ("firstName", "first_name"), ("baseURL", "base_url"), ("URLString", "url_string"),
        ("a", "a"), ("ID", "id"), ("x1Y2", "x1_y2"), ("_private", "_private"), ("already_Snake", "already_snake"),
        ("", ""),
    ])
    func keysBecomeSnakeCase(_ key: String, _ expected: String) {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Named: Encodable {
            let key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: key))
            }
        }
        let coding = ParameterCoding(keys: .snakeCase)
        #expect(Parameters(encoding: Named(key: key), by: coding).first?.name == expected)
        // The keys of a dictionary are data and are not renamed.
        #expect(Parameters(encoding: [key: 1], by: coding).first?.name == key)
    }

    @Test func spacesArePercentEncodedOrPlus() {
        let value = ["a b": "c d+e"]
        #expect(Parameters(encoding: value).encoded() == "a%20b=c%20d%2Be")
        var parameters = Parameters(encoding: value, by: ParameterCoding(spaces: .plus))
        #expect(parameters.encoded() == "a+b=c+d%2Be")
        #expect(Parameters.decoding(parameters.encoded()).elementsEqual(parameters))
        parameters.spaces = .percentEncoded
        #expect(parameters.encoded() == "a%20b=c%20d%2Be")
    }

    @Test(arguments: [
        ParameterCoding.standard,
        ParameterCoding(arrays: .indexed, booleans: .digits, nils: .null, nesting: .dots, keys: .snakeCase),
        ParameterCoding(arrays: .repeated, nils: .empty, dates: .secondsSince1970, spaces: .plus),
        ParameterCoding(arrays: .indexed, nils: .empty, nesting: .brackets, dates: .millisecondsSince1970),
    ])
    func whatWasEncodedIsDecodedAgain(_ coding: ParameterCoding) throws {
        var person = Person()
        // A dropped nil leaves no trace, and an ISO 8601 date has no fraction.
        if coding.nils == .dropped { person.address.lines = ["a", "b"] }
        person.born = Date(timeIntervalSince1970: 1_795_235_747)
        let sent = Parameters(encoding: person, by: coding).encoded()
        #expect(try Parameters.decoding(sent).decode(Person.self, by: coding) == person)
    }

    @Test func arraysOfArraysAndOfValuesSurviveIndexes() throws {
        struct Grid: Codable, Equatable {
            var rows = [[1, 2], [3]]
            var points = [Point(x: 1, y: nil), Point(x: 2, y: 5)]
            var empty: [Int] = []
            struct Point: Codable, Equatable { var x: Int, y: Int? }
        }
        for nesting in [ParameterCoding.Nesting.brackets, .dots] {
            let coding = ParameterCoding(arrays: .indexed, nesting: nesting)
            #expect(try Parameters(encoding: Grid(), by: coding).decode(Grid.self, by: coding) == Grid())
        }
        // Twelve elements, because 10 must come after 9 and not after 1.
        let many = ["n": Array(0..<12)]
        let coding = ParameterCoding(arrays: .indexed)
        #expect(try Parameters(encoding: many, by: coding).decode([String: [Int]].self, by: coding) == many)
        #expect(
            try Parameters(encoding: ["p": [["x": 1, "y": 2], ["x": 3]]]).decode([String: [[String: Int]]].self)
                == ["p": [["x": 1, "y": 2], ["x": 3]]])
    }

    @Test func everyScalarIsRead() throws {
        struct Scalars: Codable, Equatable {
            var int = Int.min, small = Int8(-128), big = UInt64.max, huge = Int128.min
            var double = 0.1, float = Float(0.1), data = Data([0xFB, 0xFF]), decimal = Decimal(string: "12.5")
            var id = UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA")
            var sort = Sort.newest
            enum Sort: String, Codable { case newest = "new" }
        }
        #expect(try Parameters(encoding: Scalars()).decode(Scalars.self) == Scalars())
        #expect(try Parameters([("b", "1"), ("c", "false")]).decode([String: Bool].self) == ["b": true, "c": false])
        #expect(try Parameters([("b", "1"), ("b", "2")]).decode([String: Int].self) == ["b": 1])
    }

    @Test(arguments: [
        ("2026-11-21T04:35:47Z", 1_795_235_747), ("2026-11-21T13:35:47.25+09:00", 1_795_235_747.25),
        ("2026-11-21", 1_795_219_200), ("2026-11-20 23:35:47-05:00", 1_795_235_747),
        ("0000-01-01T00:00:00Z", -62_167_219_200),
    ])
    func datesOfISO8601AreRead(_ text: String, _ seconds: Double) throws {
        let read = try Parameters([("d", text)]).decode([String: Date].self)
        #expect(read["d"] == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "2026", "2026-13-01", "2026-02-30T00:00:00Z", "2026-11-21T04:35:47", "2026-11-21T04:35:47.Z",
        "2026-11-21T04:35:47+24:00", "2026-11-21T04:35:47Zx", "99999999999999-01-01", "2026-11-21T04:35Z", "now",
        "٢٠٢٦-11-21", "+026-11-21",
    ])
    func whatIsNoDateIsAnError(_ text: String) {
        #expect(throws: DecodingError.self) { try Parameters([("d", text)]).decode([String: Date].self) }
    }

    @Test(arguments: [("n", "x"), ("n", ""), ("n", "1.5"), ("n", "99999999999999999999"), ("n[a]", "1"), ("n[]", "1")])
    func whatCannotBeReadSaysWhere(_ name: String, _ value: String) {
        let error = #expect(throws: DecodingError.self) { try Parameters([(name, value)]).decode([String: Int].self) }
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context):
            #expect(context.codingPath.map(\.stringValue) == ["n"])
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: ["12abc", "12,50", "", "0x10", "nan", "1.2.3"]) func whatIsNoDecimalIsAnError(_ text: String) {
        #expect(throws: DecodingError.self) { try Parameters([("d", text)]).decode([String: Decimal].self) }
    }

    @Test func theErrorDoesNotTellWhatItCouldNotRead() {
        let error = #expect(throws: DecodingError.self) {
            try Parameters([("token", "abc123")]).decode([String: Int].self)
        }
        #expect(!"\(String(describing: error))".contains("abc123"))
    }

    @Test func aMissingParameterIsNamed() {
        struct Wanted: Decodable { let here: Int, there: Int }
        let error = #expect(throws: DecodingError.self) { try Parameters([("here", "1")]).decode(Wanted.self) }
        guard case .keyNotFound(let key, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "there")
    }

    @Test func namesThatNestTooDeepAreAnErrorAndNeverATrap() {
        struct Anything: Decodable {}
        for name in [
            "a" + String(repeating: "[a]", count: 100_000), "a" + String(repeating: "[]", count: 100_000),
            String(repeating: "[", count: 100_000), "a" + String(repeating: "[", count: 100_000),
        ] {
            for nesting in [ParameterCoding.Nesting.brackets, .dots] {
                _ = try? Parameters([(name, "1")]).decode(Anything.self, by: ParameterCoding(nesting: nesting))
            }
        }
        let deep = Parameters([(String(repeating: "a.", count: 40) + "a", "1")])
        #expect(throws: DecodingError.self) { try deep.decode(Anything.self, by: ParameterCoding(nesting: .dots)) }
        #expect(throws: Never.self) { try deep.decode([String: Int].self) }
    }

    @Test(arguments: ["a[", "a]", "[a]", "a[b", "a[b]c", "", "[]", "a[]]"])
    func aNameWhoseBracketsDoNotMatchIsTakenAsItIs(_ name: String) throws {
        #expect(try Parameters([(name, "1")]).decode([String: Int].self) == [name: 1])
    }
}
