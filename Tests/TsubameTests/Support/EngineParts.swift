// EngineParts: parts of the engine, for tests of one part alone.

import Dispatch
import NIOCore
import Testing
import Tsubame
import TsubameCore
import TsubameSockets

@testable import TsubameEngine

enum EngineParts {
    /// Runs a test with a loop of its own and the pools of that loop.
    static func withLoopPool(_ body: (LoopPool) async throws -> Void) async throws {
        let loop = NIOLoop(try TsubameSockets.EventLoop())
        defer { loop.loop.stop() }
        try await body(LoopPool(loop, ClientObjects()))
    }

    /// An exchange that has not begun.
    static func exchange(_ request: Request, on loopPool: LoopPool) throws -> Exchange {
        let uri = try #require(request.uri)
        let call = Call(
            request, CallOptions(), observers: ObserverList())
        let key = ConnectionKey(
            origin: uri.origin, settings: SharedSettings(ConnectionSettings(), reusing: nil), proxy: nil)
        return Exchange(
            request, uri: uri, call: call, key: key, loopPool: loopPool, upload: try RequestBodySource(request.body),
            isHere: true)
    }
}

/// All event loops of the process, while they are held. A test that runs on one of them must not do this.
final class HeldLoops: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let count: Int

    /// Returns when every loop stands still. It then does so for 2 s at most.
    init() throws {
        let loops = try ProcessLoops.all()
        count = loops.count
        let held = DispatchSemaphore(value: 0)
        for loop in loops {
            loop.execute { [end] in
                held.signal()
                _ = end.wait(timeout: .now() + 2)
            }
        }
        for _ in loops { held.wait() }
    }

    func release() { for _ in 0..<count { end.signal() } }
}
