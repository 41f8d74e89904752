// AbsentEngine: stands in for the engine in a build without the package trait Engine, and on watchOS.

#if !ENGINE
package import TsubameCore
package import TsubameSockets

/// A transport that sends nothing. A client that was made without a transport has this one, and its calls fail.
package final class Engine: CountedTransport {
    /// Whether the current thread is that of an event loop: this build has none.
    package static var isOnLoop: Bool { false }

    package init(settings: ConnectionSettings = ConnectionSettings()) {}

    package var name: String { "none: built without the engine" }
    package var executor: (any TaskExecutor)? { nil }

    package func with(settings: ConnectionSettings) -> Engine { self }

    package func readingCertificates(_ settings: ConnectionSettings) -> Engine { self }

    private static var absent: CallError {
        CallError(
            .unsupported, "this program is built without the engine, and there is no other transport",
            advice:
                "give Client(transport:), or Recorder(over:), one such as URLSessionTransport, or enable the trait Engine"
        )
    }

    package func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        throw Self.absent.with(request: request)
    }

    package func send(
        _ request: Request, call: Call, files: any TransportSupport
    ) async throws(CallError) -> Response {
        throw Self.absent.with(request: request)
    }

    /// None, so that each call tells what is really missing.
    package func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { [] }

    package func connections(to uri: TargetURI) async throws(CallError) -> Int { throw Self.absent }

    package func warmUp(_ uri: TargetURI, call: Call) async throws(CallError) { throw Self.absent }

    package func statistics() async -> TransportStatistics { TransportStatistics() }

    package func close() async {}

    package func takeCallerLoop() -> CallerLoop { .ofJobs() }
}
#endif
