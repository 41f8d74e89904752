// ParameterEncoderTests: Encodable values as names and values.

import Testing
import TsubameWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ParameterEncoderTests {
    private func pairs(_ value: some Encodable) throws -> [String] {
        try ParameterEncoder().encode(value).map { "\($0.name)=\($0.value)" }
    }

    @Test func propertiesAreEncodedInTheirOrder() throws {
        struct Search: Encodable {
            let text = "a b"
            let page = 2
            let exact = true
            let since: String? = nil
            let until: String? = "now"
            let sort = Sort.newest
            enum Sort: String, Encodable { case newest = "new" }
        }
        #expect(try pairs(Search()) == ["text=a b", "page=2", "exact=true", "until=now", "sort=new"])
        #expect(try ParameterEncoder().encode(Optional<Search>.none).isEmpty)
        #expect(try pairs(Optional(Search())).count == 5)
    }

    @Test func nestedNamesStandInBrackets() throws {
        struct Outer: Encodable {
            let inner = ["b": ["c": 1]]
            let list = [1, 2]
            let lists = [[1], [2, 3]]
            let things = [["x": 1], ["x": 2]]
            let nothing: [Int] = []
            let holes: [Int?] = [1, nil, 3]
        }
        #expect(
            try pairs(Outer()) == [
                "inner[b][c]=1", "list[]=1", "list[]=2", "lists[][]=1", "lists[][]=2", "lists[][]=3",
                "things[][x]=1", "things[][x]=2", "holes[]=1", "holes[]=3",
            ])
    }

    @Test func dictionariesAreSortedByKey() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<40).map { (String($0), $0) })
        let expected = dictionary.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\($0)=\($0)" }
        #expect(try pairs(dictionary) == expected)
        #expect(try pairs(["d": dictionary]) == dictionary.keys.sorted().map { "d[\($0)]=\($0)" })
        #expect(try pairs(["b": nil, "a": 1] as [String: Int?]) == ["a=1"])
    }

    @Test func valuesOfFoundationAreText() throws {
        struct Values: Encodable {
            let date = Date(timeIntervalSince1970: 1_795_235_747.9)
            let early = Date(timeIntervalSince1970: -0.5)
            let data = Data([0xFB, 0xFF, 0x00])
            let url = URL(string: "https://a.example/?b=c")
            let id = UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA")
            let price = Decimal(string: "12.50")
        }
        #expect(
            try pairs(Values()) == [
                "date=2026-11-21T04:35:47Z", "early=1969-12-31T23:59:59Z", "data=+/8A", "url=https://a.example/?b=c",
                "id=6B29FC40-CA47-1067-B31D-00DD010662DA", "price=12.5",
            ])
    }

    @Test func numbersTakeTheirShortestForm() throws {
        struct Numbers: Encodable {
            let half = 0.5
            let two = 2.0
            let tenth: Float = 0.1
            let large = 1e300
            let negativeZero = -0.0
            let small: Int8 = -128
            let big = UInt64.max
            let huge = Int128.min
            let list = [UInt128.max]
            let wrapped = Wrapped()
            struct Wrapped: Encodable {
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(Int128.max)
                }
            }
        }
        #expect(
            try pairs(Numbers()) == [
                "half=0.5", "two=2", "tenth=0.1", "large=1e+300", "negativeZero=-0", "small=-128",
                "big=18446744073709551615", "huge=-170141183460469231731687303715884105728",
                "list[]=340282366920938463463374607431768211455", "wrapped=170141183460469231731687303715884105727",
            ])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func whatIsNotFiniteIsAnError(_ number: Double) {
        #expect(throws: EncodingError.self) { try pairs(["x": number]) }
        #expect(throws: EncodingError.self) { try pairs(["x": Float(number)]) }
        #expect(throws: EncodingError.self) { try pairs(["x": Date(timeIntervalSince1970: number)]) }
    }

    @Test func theErrorSaysWhere() {
        let error = #expect(throws: EncodingError.self) { try pairs(["a": [1, Double.nan]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("not an invalid value")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
        #expect(context.codingPath.last?.intValue == 1)
    }

    @Test func aDateOutsideTheYearsOfFourDigitsIsAnError() throws {
        #expect(throws: EncodingError.self) { try pairs(["x": Date(timeIntervalSince1970: 253_402_300_800)]) }
        #expect(throws: EncodingError.self) { try pairs(["x": Date(timeIntervalSince1970: 1e300)]) }
        #expect(throws: EncodingError.self) { try pairs(["x": Date(timeIntervalSince1970: -1e12)]) }
        #expect(
            try pairs(["x": Date(timeIntervalSince1970: 253_402_300_799)]) == ["x=9999-12-31T23:59:59Z"])
    }

    @Test func valuesWithoutANameAreErrors() {
        #expect(throws: EncodingError.self) { try pairs("text") }
        #expect(throws: EncodingError.self) { try pairs(1) }
        #expect(throws: EncodingError.self) { try pairs([1, 2]) }
        #expect(throws: EncodingError.self) { try pairs([["a": 1]]) }
    }

    @Test func everyKindOfContainerWorks() throws {
        struct ByHand: Encodable {
            enum Key: String, CodingKey { case plain, keyed, list, own }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .plain)
                try container.encode("p", forKey: .plain)
                var keyed = container.nestedContainer(keyedBy: Key.self, forKey: .keyed)
                try keyed.encode(1, forKey: .own)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encodeNil()
                try list.encode(2)
                var keyedInList = list.nestedContainer(keyedBy: Key.self)
                try keyedInList.encode(3, forKey: .own)
                var listInList = list.nestedUnkeyedContainer()
                try listInList.encode(4)
                try "5".encode(to: list.superEncoder())
                #expect(list.count == 5)
                try "6".encode(to: container.superEncoder())
                var single = container.superEncoder(forKey: .own).singleValueContainer()
                try single.encodeNil()
                try single.encode(["k": 7])
            }
        }
        #expect(
            try pairs(ByHand()) == [
                "plain=p", "keyed[own]=1", "list[]=2", "list[][own]=3", "list[][]=4", "list[]=5", "super=6", "own[k]=7",
            ])
    }

    @Test func classesEncodeTheirSuperclass() throws {
        class Base: Encodable {
            let id = 1
        }
        final class Derived: Base {
            enum Key: String, CodingKey { case name }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode("n", forKey: .name)
                try super.encode(to: container.superEncoder())
            }
        }
        #expect(try pairs(Derived()) == ["name=n", "super[id]=1"])
    }

    @Test func anErrorOfTheValueItselfIsPassedOn() {
        struct Failing: Encodable {
            struct Reason: Error {}
            func encode(to encoder: any Encoder) throws { throw Reason() }
        }
        #expect(throws: Failing.Reason.self) { try pairs(["a": Failing()]) }
        #expect(Parameters(encoding: ["a": Failing()]).failure is Failing.Reason)
    }
}
