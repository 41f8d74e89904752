// ContractTests: the engine and a transport from outside keep the contract of transports.

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
}
