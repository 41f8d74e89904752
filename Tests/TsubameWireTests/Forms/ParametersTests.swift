// ParametersTests: names and values of queries and forms.

import Testing
import TsubameWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ParametersTests {
    private enum Order: String, ParameterValue {
        case newest = "new est"
    }

    @Test func `arrays repeat their name, dates and dictionaries have an order`() {
        let date = Date(timeIntervalSince1970: 0)
        let missing: [Int]? = nil
        let parameters: Parameters = ["a": [1, 2], "b": ["x", "y"], "c": date, "d": missing, "e": [Int]()]
        #expect(parameters.encoded() == "a=1&a=2&b=x&b=y&c=1970-01-01T00%3A00%3A00Z")
        #expect(Parameters(["b": "2", "a": "1"]).encoded() == "a=1&b=2")
        let mixed: [String: any ParameterValue] = ["n": 1, "t": true]
        #expect(Parameters(mixed).encoded() == "n=1&t=true")
        #expect((["a": [1.0, .nan]] as Parameters).failure != nil)
        #expect((["a": Date.distantFuture.addingTimeInterval(1e12)] as Parameters).failure != nil)
    }

    @Test func aLiteralMixesTypesAndKeepsItsOrder() throws {
        let name = "燕"
        let since: String? = nil
        let until: String? = "now"
        let id = try #require(UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA"))
        let parameters: Parameters = [
            "page": 2, "name": name, "flag": true, "since": since, "until": until, "ratio": 0.5, "whole": 2.0,
            "order": Order.newest, "part": "abc".dropFirst(), "id": id, "none": nil, "big": UInt64.max, "page": -1,
        ]
        #expect(
            parameters.encoded()
                == "page=2&name=%E7%87%95&flag=true&until=now&ratio=0.5&whole=2&order=new%20est&part=bc"
                + "&id=6B29FC40-CA47-1067-B31D-00DD010662DA&big=18446744073709551615&page=-1")
        #expect(parameters.failure == nil)
    }

    @Test func aConnectorsProofIs81Bytes() {
        let parameters: Parameters = ["parameterTestKey": "!*'();:@&=+$,/?%#[]-._~ "]
        let encoded = parameters.encoded()
        #expect(encoded == "parameterTestKey=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20")
        #expect(encoded.utf8.count == 81)
        #expect(Parameters.decoding(encoded) == parameters)
    }

    @Test func namesAreEscapedToo() {
        #expect((["a&b=c": "d"] as Parameters).encoded() == "a%26b%3Dc=d")
        #expect((["": ""] as Parameters).encoded() == "=")
        #expect(Parameters().encoded() == "")
    }

    @Test func nestedOptionalsAndURLsAreValues() throws {
        let twice: String?? = .some(.none)
        let url = try #require(URL(string: "https://a.example/b?c"))
        let parameters: Parameters = ["twice": twice, "url": url]
        #expect(parameters.encoded() == "url=https%3A%2F%2Fa.example%2Fb%3Fc")
    }

    @Test func parametersAreAppendedAndJoined() {
        var parameters = Parameters([("a", "1")])
        parameters.append("b", 2)
        parameters.append("c", nil)
        parameters += ["a": 3]
        #expect(parameters + ["d": 4] == ["a": 1, "b": 2, "a": 3, "d": 4])
        #expect(parameters["a"] == "1")
        #expect(parameters["x"] == nil)
        #expect(parameters.values(for: "a") == ["1", "3"])
        #expect(parameters.count == 3)
    }

    @Test func sortingIsByUTF8AndStable() {
        let parameters: Parameters = ["b": 1, "\u{10000}": 1, "\u{FF5E}": 1, "a": 2, "B": 1, "a": 1, "": 1, "ab": 1]
        #expect(
            parameters.sorted().map { "\($0.name)\($0.value)" }
                == ["1", "B1", "a2", "a1", "ab1", "b1", "\u{FF5E}1", "\u{10000}1"])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aNumberThatIsNotFiniteIsKeptAsAFailure(_ number: Double) {
        let optional: Double? = number
        #expect((["x": number] as Parameters).failure is EncodingError)
        #expect((["x": Float(number)] as Parameters).failure is EncodingError)
        #expect((["x": optional] as Parameters).failure is EncodingError)
        #expect((["a": 1] + ["x": number] as Parameters).failure is EncodingError)
        #expect((["x": number] as Parameters).sorted().failure is EncodingError)
    }

    @Test func encodingNeverThrowsAndKeepsItsFailure() {
        let bad = Parameters(encoding: ["x": Double.nan])
        #expect(bad.failure is EncodingError)
        #expect(bad.isEmpty)
        #expect(bad != Parameters())
        #expect(Parameters(encoding: ["x": 1.5]) == ["x": 1.5])
    }

    @Test func aFormIsReadAsBrowsersWriteIt() {
        #expect(
            Parameters.decoding("a=1&b=x%20y+z&c=%E7%87%95&a=2").map { [$0.name, $0.value] }
                == [["a", "1"], ["b", "x y z"], ["c", "燕"], ["a", "2"]])
    }

    @Test(arguments: [
        ("", []), ("&", []), ("&&a=1&&", [["a", "1"]]), ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=b", [["", "b"]]),
        ("=", [["", ""]]), ("a=b=c", [["a", "b=c"]]), ("a==", [["a", "="]]),
        ("%=%&%4=%zz", [["%", "%"], ["%4", "%zz"]]),
        ("a%3Db=c%26d", [["a=b", "c&d"]]), ("a=%FF", [["a", "\u{FFFD}"]]), ("a%00=%0D%0A", [["a\0", "\r\n"]]),
    ])
    func decodingNeverFails(_ text: String, _ expected: [[String]]) {
        #expect(Parameters.decoding(text).map { [$0.name, $0.value] } == expected)
        #expect(Parameters.decoding(Array(text.utf8)).map { [$0.name, $0.value] } == expected)
        #expect(Parameters.decoding(AnyCollection(Array(text.utf8))).map { [$0.name, $0.value] } == expected)
    }

    @Test func bytesThatAreNotUTF8AreRepaired() {
        #expect(Parameters.decoding([0xFF, 0x3D, 0xE7, 0x87] as [UInt8]) == ["\u{FFFD}": "\u{FFFD}"])
    }

    @Test func decodingUndoesEncoding() {
        let parameters: Parameters = ["a b": "c&d=e+f%20", "燕": "🐦", "empty": "", "": "x", "a b": "again"]
        #expect(Parameters.decoding(parameters.encoded()) == parameters)
    }
}
