// InspectorPage: the inspector of the tool's own calls, for `--inspect`.

#if Inspector
import Dispatch
import Synchronization
import Tsubame
import TsubameInspector

/// A page in the browser that shows calls live. The tool waits for Ctrl-C before it ends, so that the page can be read.
final class InspectorPage: Sendable {
    private let inspector: Inspector
    /// The clients of the calls, which the page may send again.
    private let clients = Mutex<[Client]>([])

    private init(_ inspector: Inspector) { self.inspector = inspector }

    /// Starts the inspector, and prints its URL.
    static func open() throws -> InspectorPage {
        let page = InspectorPage(try start())
        page.inspector.log.keepBodies()
        Diagnostics.say("the inspector is at \(page.inspector.url)")
        return page
    }

    /// The calling thread waits, which drives no call yet.
    private static func start() throws -> Inspector {
        let started = Started()
        Task.detached {
            let result: Result<Inspector, any Error>
            do {
                // The user of the tool has typed the secrets.
                result = .success(try await Inspector(log: TrafficLog(), showsSecrets: true))
            } catch {
                result = .failure(error)
            }
            started.result.withLock { $0 = result }
            started.isThere.signal()
        }
        started.isThere.wait()
        return try started.result.withLock { $0 }.get()
    }

    private final class Started: Sendable {
        let result = Mutex<Result<Inspector, any Error>>(.failure(CancellationError()))
        let isThere = DispatchSemaphore(value: 0)
    }

    func show(_ client: Client) {
        inspector.log.add(client)
        clients.withLock { $0.append(client) }
    }

    /// Returns when the user ends the page.
    func wait() {
        let ended = DispatchSemaphore(value: 0)
        let sources = EndSignals.observe { _ in ended.signal() }
        Diagnostics.say("the inspector stays open; Ctrl-C ends it")
        ended.wait()
        for source in sources { source.cancel() }
    }
}
#endif
