// KeyValueTextTests: the format `k=v&k=v&END`.

import Foundation
import HTTPTypes
import KeyValueAPI
import Testing
import Tsubame
import TsubameTesting

@Suite struct KeyValueTextTests {
    private func pairs(_ text: String, terminator: String = "END") throws -> [String] {
        try KeyValueText.decode(text, terminator: terminator).map { "\($0.name)→\($0.value)" }
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

    @Test func theTerminatorCanBeAnother() throws {
        #expect(try pairs("a=1&.&b=2", terminator: ".") == ["a→1"])
        #expect(try pairs("a=1&終&b=2", terminator: "終") == ["a→1"])
        #expect(throws: KeyValueTextError.missingTerminator(".")) { try pairs("a=1&END", terminator: ".") }
    }

    // MARK: As values of a response

    private static func answer(_ text: String, status: HTTPResponse.Status = .ok, method: HTTPRequest.Method = .get)
        async throws -> Response
    {
        let stub = StubTransport { $0.on("*").respond(status: status, text: text) }
        return try await Client("https://a.example", transport: stub).send(Request(method, "x"))
    }

    @Test func aResponseGivesItsPairs() async throws {
        let values = try await Self.answer("result=OK&url=http://x/?a=b&END\n").keyValues()
        #expect(values == ["result": "OK", "url": "http://x/?a=b"])
        let own = try await Self.answer("a=1&STOP&ignored=1").keyValues(terminator: "STOP")
        #expect(own == ["a": "1"])
        for (status, method) in [(HTTPResponse.Status.noContent, HTTPRequest.Method.get), (.ok, .head)] {
            #expect(try await Self.answer("", status: status, method: method).keyValues().isEmpty)
        }
    }

    @Test(arguments: ["result=OK&url=http", "result=OK", "", "result=OK&EN", "ENDING=1"])
    func aResponseWithoutItsEndIsIncomplete(text: String) async throws {
        let response = try await Self.answer(text)
        let error = #expect(throws: CallError.self) { try response.keyValues() }
        #expect(error?.kind == .incompleteResponse && error?.response?.bytes == Bytes(text))
        let refused = try await Self.answer(text, status: .notFound)
        #expect(#expect(throws: CallError.self) { try refused.keyValues() }?.kind == .status)
    }

    @Test func theParametersOfEveryCallAreInTheirOrderWithTheTimeInTheZoneGiven() async throws {
        let stub = StubTransport { $0.on("*") }
        let zones = [0, 9 * 3600, -(9 * 3600 + 1800)].compactMap { TimeZone(secondsFromGMT: $0) }
        for zone in zones {
            let client = Client("https://a.example", transport: stub) {
                $0.interceptors = [
                    CommonParameters(
                        messageType: "viewer", installation: InstallationID(value: "id"), timeZone: zone,
                        now: { Date(timeIntervalSince1970: 1_078_012_799) }, others: ["v": 2])
                ]
            }
            _ = try await client.get("x")
        }
        let queries = ["20040228235959", "20040229085959", "20040228142959"]
            .map { "deviceId=id&messageType=viewer&dateTime=\($0)&v=2" }
        #expect(stub.requests.map { $0.uri?.query } == queries)
    }
}
