// LateVerificationTests: a certificate whose verification ends later, on another queue, as Apple's SecTrust does it.

import Dispatch
import NIOCore
import NIOSSL
import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets
import TsubameTesting

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct LateVerificationTests {
    /// What happens before the verification ends.
    enum Before: CaseIterable { case nothing, close, deadline, endOfServer, release }

    /// Writes down what a channel tells. Confined to the loop of its test.
    private final class Witness: ChannelReceiver, @unchecked Sendable {
        let told = Log<String>()
        weak var channel: SocketChannel?

        func secured(_ applicationProtocol: String?) { told.add("secured") }
        func receive(_ read: ReceivedBytes) { told.add("bytes") }
        func failed(_ error: any Error) {
            told.add("failed")
            channel?.end()
        }
        func deadlinePassed() {
            told.add("deadline")
            channel?.end()
        }
        func closed() { told.add("closed") }
    }

    private static func expected(_ before: Before, _ result: NIOSSLVerificationResult) -> [String] {
        switch before {
        case .nothing: result == .certificateVerified ? ["secured"] : ["failed", "closed"]
        case .close, .release: ["closed"]
        case .deadline: ["deadline", "closed"]
        case .endOfServer: ["failed", "closed"]
        }
    }

    @Test(arguments: Before.allCases, [NIOSSLVerificationResult.certificateVerified, .failed])
    func `a verification that ends late finds the channel as it is then`(
        _ before: Before, _ result: NIOSSLVerificationResult
    ) async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        let address = TsubameSockets.SocketAddress.ipv4(address: 0x7F00_0001, port: UInt16(server.port))
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The engine compares the names itself.
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let answer = Mutex<EventLoopPromise<NIOSSLVerificationResult>?>(nil)
        let asked = Gate()
        let witness = Witness()
        try await EngineParts.withLoopPool { loopPool in
            let loop = loopPool.loop
            try await loop.submit {
                let channel = SocketChannel(loop, try Socket(for: address)) {}
                witness.channel = channel
                channel.receiver = witness
                channel.connect(to: address) { error in
                    #expect(error == nil)
                    let handler = try? NIOSSLClientHandler(
                        context: context, serverHostname: "localhost",
                        customVerificationCallback: { _, promise in
                            answer.withLock { $0 = promise }
                            asked.open()
                        })
                    if let handler { try? channel.addTLS(handler, behind: ServerHelloReader()) }
                }
            }.get()
            try await asked.wait()
            switch before {
            case .nothing: break
            case .close, .release: try await loop.submit { witness.channel?.end() }.get()
            case .deadline: try await loop.submit { witness.channel?.setDeadline(MonotonicClock.now) }.get()
            case .endOfServer: await server.stop()
            }
            if before != .nothing {
                while !witness.told.all.contains("closed") { try Task.checkCancellation(); await Task.yield() }
            }
            if before == .release {
                // A channel that has ended is released in a few turns of its loop.
                while try await loop.submit({ witness.channel != nil }).get() {}
            }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().async {
                    answer.withLock { $0.take() }?.succeed(result)
                    continuation.resume()
                }
            }
            let last = Self.expected(before, result).last ?? ""
            while !witness.told.all.contains(last) { try Task.checkCancellation(); await Task.yield() }
            // What the answer could still bring would come in these turns.
            for _ in 0..<10 { try await loop.submit {}.get() }
            #expect(witness.told.all == Self.expected(before, result))
            try await loop.submit { witness.channel?.end() }.get()
        }
        await server.stop()
    }
}
