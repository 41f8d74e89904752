// URLSessionContractTests: the transport on URLSession keeps the contract of transports.

import Testing
import Tsubame
import TsubameTesting
import TsubameURLSession

@Suite(.timeLimit(.minutes(3))) struct URLSessionContractTests {
    private static let shortcomings: Set<TransportContract.Shortcoming> = [
        .serverTarget, .fieldOrder, .codedBodies, .backPressure, .connectionSteps, .streamedUploads,
    ]

    @Test(arguments: TransportContract.checks(for: [.reuse, .informational], except: shortcomings))
    func `a transport on URLSession keeps the contract`(check: TransportContract) async throws {
        try await check.verify(within: .seconds(20)) { _ in URLSessionTransport() }
    }
}
