// EngineParts: parts of the engine, for tests of one part alone.

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
            request, timeouts: Timeouts(), limits: Limits(), wantsStream: false, observers: ObserverList())
        let key = ConnectionKey(
            origin: uri.origin, settings: SharedSettings(ConnectionSettings(), reusing: nil), proxy: nil)
        return Exchange(
            request, uri: uri, call: call, key: key, loopPool: loopPool, upload: try RequestBodySource(request.body),
            isHere: true)
    }
}
