// ActorTests: the library never runs its interceptors and transports on the caller's actor.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// Records for each of its steps whether the step ran on the main queue.
private final class Watch: MessageHook, Interceptor {
    private let places = Mutex<[Bool]>([])

    var all: [Bool] { places.withLock { $0 } }

    private func note() { places.withLock { $0.append(isOnMainQueue()) } }

    func willSend(_ request: inout Request) { note() }
    func didReceive(_ response: inout Response) { note() }

    func intercept(_ request: Request, next: Next) async throws -> Response {
        note()
        return try await next(request)
    }
}

/// A hook that is not an interceptor.
private struct Passing: MessageHook {
    let watch: Watch

    func willSend(_ request: inout Request) { watch.willSend(&request) }
    func didReceive(_ response: inout Response) { watch.didReceive(&response) }
}

@Suite(.timeLimit(.minutes(1))) @MainActor struct ActorTests {
    /// - Parameter path: `/fail` has no response.
    @Test(arguments: ["get", "fail"], [false, true])
    func `interceptors are off the main actor, also when the call fails`(path: String, isInterceptor: Bool)
        async throws
    {
        try #require(isOnMainQueue())
        let watch = Watch()
        try await serving(.start { $0.path == "/fail" ? .close : .ok("hello") }) {
            $0.interceptors = isInterceptor ? [watch] : [Passing(watch: watch)]
        } _: { _, client in
            for verb in 0..<3 {
                do {
                    switch verb {
                    case 0: _ = try await client.get("\(path)")
                    case 1: _ = try await client.send(Request(.get, "\(path)"))
                    default: _ = try await client.stream(Request(.get, "\(path)")) { $0.statusCode }
                    }
                } catch {
                    #expect(path == "fail")
                }
            }
            #expect(watch.all.count >= 3)
            #expect(!watch.all.contains(true))
        }
    }
}
