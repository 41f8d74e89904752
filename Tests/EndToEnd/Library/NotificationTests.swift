// NotificationTests: a NotificationCenter receives the stages of a call.

import Dispatch
import Foundation
import Synchronization
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct NotificationTests {
    /// Collects the notifications of one call until its last stage.
    private final class Listener: Sendable {
        struct Stage: Sendable {
            let name: Notification.Name
            let call: ObjectIdentifier?
            let response: Response?
            let bytes: Data?
            let error: CallError?
            let isOnMain: Bool
        }

        // A queue and not a thread is compared: an async main on Linux gives up the main thread, and others serve the
        // main queue.
        private static let mainQueue: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        private let stages = Mutex<[Stage]>([])
        private let ended = AsyncStream<Void>.makeStream()

        static func markMainQueue() { _ = mainQueue }

        func hear(_ notification: Notification) {
            let stage = Stage(
                name: notification.name, call: (notification.object as? Call).map { ObjectIdentifier($0) },
                response: notification.userInfo?[CallNotification.response] as? Response,
                bytes: notification.userInfo?[CallNotification.bytes] as? Data,
                error: notification.userInfo?[CallNotification.error] as? CallError,
                isOnMain: DispatchQueue.getSpecific(key: Self.mainQueue) == true)
            stages.withLock { $0.append(stage) }
            if [.callDidFinish, .callDidFail].contains(notification.name) { ended.continuation.yield() }
        }

        /// All stages, once the client has come to rest, so that stages which must not come are seen too.
        func all(of client: Client) async throws -> [Stage] {
            for await _ in ended.stream { break }
            try await settled(client)
            return stages.withLock { $0 }
        }
    }

    private static func listen(to center: NotificationCenter) -> Listener {
        let listener = Listener()
        Listener.markMainQueue()
        let names: [Notification.Name] = [.callDidReceiveResponse, .callDidReceiveData, .callDidFinish, .callDidFail]
        for name in names {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { listener.hear($0) }
        }
        return listener
    }

    @Test func `posts every stage in order, on the main queue, with the call as object`() async throws {
        try await ScriptedServer.start { _ in .chunked(["hello ", "world"]) }.use { server in
            try await withClient(server.url) { client in
                let center = NotificationCenter()
                let listener = Self.listen(to: center)
                let call = client.start(Request(.get, "x"), notifying: center)
                let stages = try await listener.all(of: client)
                #expect(stages.first?.name == .callDidReceiveResponse)
                #expect(stages.first?.response?.statusCode == 200)
                #expect(stages.last?.name == .callDidFinish)
                #expect(stages.last?.response?.bytes.count == 11)
                #expect(stages.last?.bytes == Data("hello world".utf8))
                let pieces = stages.dropFirst().dropLast()
                #expect(pieces.allSatisfy { $0.name == .callDidReceiveData })
                #expect(pieces.reduce(Data()) { $0 + ($1.bytes ?? Data()) } == Data("hello world".utf8))
                #expect(stages.allSatisfy { $0.call == ObjectIdentifier(call) && $0.isOnMain })
            }
        }
    }

    @Test func `posts a failure once, and nothing after it`() async throws {
        try await ScriptedServer.start { _ in .close }.use { server in
            try await withClient(server.url) { client in
                let center = NotificationCenter()
                let listener = Self.listen(to: center)
                client.start(Request(.get, "x"), notifying: center)
                let stages = try await listener.all(of: client)
                #expect(stages.map(\.name) == [.callDidFail])
                #expect(stages.first?.error?.kind == .emptyReply)
            }
        }
    }

    @Test func `posts a request that cannot be sent as a failure`() async throws {
        try await withClient("http://127.0.0.1:9") { client in
            let center = NotificationCenter()
            let listener = Self.listen(to: center)
            client.start(Request(.get, "a/../b"), notifying: center)
            let stages = try await listener.all(of: client)
            #expect(stages.map(\.name) == [.callDidFail])
            #expect(stages.first?.error?.kind == .invalidRequest)
        }
    }
}
