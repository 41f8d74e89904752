// ContractTests: the engine and a transport from outside keep the contract of transports.

import Foundation
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(3))) struct ContractTests {
    @Test(arguments: TransportContract.checks())
    func `the engine keeps the contract`(check: TransportContract) async throws {
        try await check.verify { _ in nil }
    }

    @Test(arguments: TransportContract.checks())
    func `an engine that is given as a transport keeps the contract`(check: TransportContract) async throws {
        try await check.verify { Engine(settings: $0) }
    }

    @Test(arguments: TransportContract.checks(for: [.trailers, .requestTrailers, .informational, .connections]))
    func `a transport of another package keeps the contract`(check: TransportContract) async throws {
        try await check.verify { _ in NIOTransport() }
    }

    @Test(arguments: TransportContract.checks())
    func `a recorder keeps the contract while it records`(check: TransportContract) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await check.verify { _ in Recorder(file: path, mode: .record) }
    }

    @Test func `a transport that sends nothing breaks a check that waits for a request`() async throws {
        struct Answering: Transport {
            func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
                Response(status: .ok)
            }
        }
        let check = try #require(TransportContract.checks().first { $0.name == "the target arrives byte for byte" })
        let violation = await #expect(throws: TransportContract.Violation.self) {
            try await check.verify(within: .milliseconds(200)) { _ in Answering() }
        }
        #expect(
            violation?.description.contains("did not end within 0.2 seconds") == true,
            "\(String(describing: violation))")
    }
}
