// TimelineDemo: a timeline in XML, loaded by code that does not know its observers, which live on notifications.
#if Server && XML
import Foundation
import HTTPBin
import Tsubame
import TsubameFoundation
import TsubameXML

/// The part of a timeline that is shown.
private struct Timeline: Decodable, Sendable {
    struct Status: Decodable, Sendable {
        struct User: Decodable, Sendable {
            let name: String
        }

        let text: String
        let user: User
    }

    let status: [Status]
}

/// Observes the four stages of one call. A call can have any number of such observers.
@MainActor
private final class StageObserver {
    /// Kept, because a center compares addresses: a later call could get that of one that is gone.
    private let call: Call
    private(set) var responses = 0
    private(set) var bytes = 0
    private(set) var finished: Response?
    private(set) var failure: CallError?
    private var tokens: [any NSObjectProtocol] = []
    private let end: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    init(of call: Call) {
        self.call = call
        (end, sink) = AsyncStream.makeStream()
        observe(.callDidReceiveResponse) { [weak self] _ in self?.responses += 1 }
        observe(.callDidReceiveData) { [weak self] in
            self?.bytes += ($0[CallNotification.bytes] as? Data)?.count ?? 0
        }
        observe(.callDidFinish) { [weak self] in
            self?.finished = $0[CallNotification.response] as? Response
            self?.sink.finish()
        }
        observe(.callDidFail) { [weak self] in
            self?.failure = $0[CallNotification.error] as? CallError
            self?.sink.finish()
        }
    }

    /// Returns when the call has ended.
    func wait() async { for await _ in end {} }

    /// The center keeps observers until they are removed.
    func stop() { tokens.forEach(NotificationCenter.default.removeObserver) }

    var stages: String {
        "response \(responses), data \(bytes > 0 ? "yes" : "no"), finished \(finished == nil ? 0 : 1), "
            + "failed \(failure == nil ? 0 : 1)"
    }

    private func observe(
        _ name: Notification.Name, then act: @escaping @MainActor ([AnyHashable: Any]) -> Void
    ) {
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: call, queue: nil) { notification in
                // Calls post their notifications on the main actor.
                nonisolated(unsafe) let userInfo = notification.userInfo ?? [:]
                MainActor.assumeIsolated { act(userInfo) }
            })
    }
}

struct TimelineDemo {
    private let server: DemoServer
    private let ledger: DemoLedger
    private let client: Client

    init(_ server: DemoServer, _ ledger: DemoLedger) {
        self.server = server
        self.ledger = ledger
        client = Client(server.url)
    }

    func run() async throws {
        ledger.title("3. A timeline in XML, with two observers by NotificationCenter and an activity indicator")
        let highest = Counter()
        let indicator = ActivityMonitor(client) { if $0 > 0 { highest.increase() } }

        let user = "燕 & co/#1"
        let (first, second) = await Self.load(Request(.get, "timeline/\(user).xml", query: ["count": 2]), by: client)
        let record = try await server.request("/timeline")
        ledger.show(record)
        ledger.compare(
            "the user's name stays one segment", record.target,
            with: "/timeline/%E7%87%95%20%26%20co%2F%231.xml?count=2")
        for observer in [first, second] {
            ledger.compare("stages", await observer.stages, with: "response 1, data yes, finished 1, failed 0")
        }
        guard let response = await first.finished else {
            return ledger.fail("the timeline did not come")
        }
        let timeline = try response.xml(Timeline.self)
        for status in timeline.status { ledger.write("  < \(status.user.name): \(status.text)") }
        ledger.compare("the statuses, decoded from XML", timeline.status.count, with: 2)
        ledger.compare("the user of the first", timeline.status.first?.user.name, with: user)
        ledger.show(response.timings)

        var missing = Request(.get, "timeline/nobody.xml")
        missing.requiresAcceptedStatus = true
        let (failed, alsoFailed) = await Self.load(missing, by: client)
        ledger.show(try await server.request("/timeline"))
        for observer in [failed, alsoFailed] {
            ledger.compare(
                "a 404 is a failure for this request", await observer.stages,
                with: "response 0, data no, finished 0, failed 1")
        }
        ledger.compare("with the status", await failed.failure?.status?.code ?? 0, with: 404)
        ledger.compare(
            "the first call's observers saw only theirs", await first.stages,
            with: "response 1, data yes, finished 1, failed 0")
        for observer in [first, second, failed, alsoFailed] { await observer.stop() }
        // The counts are reported on the main actor.
        await MainActor.run {}
        ledger.compare("the indicator went on", highest.value, with: 2)
        ledger.compare("and off again", indicator.count, with: 0)
        await client.close()
    }

    /// Starts a call with two observers, and waits for its end.
    @MainActor
    private static func load(_ request: Request, by client: Client) async -> (StageObserver, StageObserver) {
        let call = client.start(request, notifying: .default)
        let observers = (StageObserver(of: call), StageObserver(of: call))
        await observers.0.wait()
        await observers.1.wait()
        return observers
    }
}

#endif
