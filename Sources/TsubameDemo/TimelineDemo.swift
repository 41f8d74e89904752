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
    private var counts = (responses: 0, pieces: 0, finished: 0, failed: 0)
    private(set) var finished: Response?
    private(set) var failure: CallError?
    private var tokens: [any NSObjectProtocol] = []
    private let end: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    init(of call: Call) {
        self.call = call
        (end, sink) = AsyncStream.makeStream()
        observe(.callDidReceiveResponse) { [weak self] _ in self?.counts.responses += 1 }
        observe(.callDidReceiveData) { [weak self] _ in self?.counts.pieces += 1 }
        observe(.callDidFinish) { [weak self] in
            self?.counts.finished += 1
            self?.finished = $0[CallNotification.response] as? Response
            self?.sink.finish()
        }
        observe(.callDidFail) { [weak self] in
            self?.counts.failed += 1
            self?.failure = $0[CallNotification.error] as? CallError
            self?.sink.finish()
        }
    }

    /// Returns when the call has ended.
    func wait() async { for await _ in end {} }

    /// The center keeps observers until they are removed.
    func stop() { tokens.forEach(NotificationCenter.default.removeObserver) }

    var stages: String {
        "response \(counts.responses), data \(counts.pieces > 0 ? "yes" : "no"), finished \(counts.finished), "
            + "failed \(counts.failed)"
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
        client = server.watched(Client(server.url))
    }

    func run() async throws {
        ledger.title("3. A timeline in XML, with two observers by NotificationCenter and an activity indicator")
        let highest = Counter()
        let indicator = ActivityMonitor(client) { if $0 > 0 { highest.increase() } }

        let user = "燕 & co/#1"
        var missing = Request(.get, "timeline/nobody.xml")
        missing.requiresAcceptedStatus = true
        // Both loads run at once. Each has two observers.
        let calls = await Self.start([Request(.get, "timeline/\(user).xml", query: ["count": 2]), missing], by: client)
        let (first, second, failed, alsoFailed) = (calls[0].0, calls[0].1, calls[1].0, calls[1].1)
        for observer in [first, second, failed, alsoFailed] { await observer.wait() }

        let records = try await [server.request("/timeline"), server.request("/timeline")]
        for record in records { ledger.show(record) }
        ledger.compare(
            "the user's name stays one segment", records.map(\.target).sorted().joined(separator: " "),
            with: "/timeline/%E7%87%95%20%26%20co%2F%231.xml?count=2 /timeline/nobody.xml")
        for observer in [first, second] {
            ledger.compare(
                "stages of the one load", await observer.stages, with: "response 1, data yes, finished 1, failed 0")
        }
        for observer in [failed, alsoFailed] {
            ledger.compare(
                "a 404 is a failure of the other", await observer.stages,
                with: "response 0, data no, finished 0, failed 1")
        }
        ledger.compare("with the status", await failed.failure?.status?.code ?? 0, with: 404)
        guard let response = await first.finished else { return ledger.fail("the timeline did not come") }
        let timeline = try response.xml(Timeline.self)
        for status in timeline.status { ledger.write("  < \(status.user.name): \(status.text)") }
        ledger.compare("the statuses, decoded from XML", timeline.status.count, with: 2)
        ledger.compare("the user of the first", timeline.status.first?.user.name, with: user)
        ledger.show(response.timings)
        for observer in [first, second, failed, alsoFailed] { await observer.stop() }
        // The counts are reported on the main actor.
        await MainActor.run {}
        ledger.compare("the indicator went on", highest.value > 0 ? "yes" : "no", with: "yes")
        ledger.compare("and off again", indicator.count, with: 0)
        await client.close()
    }

    /// Starts the calls, each with two observers. Notifications are posted on the main actor, so none is missed.
    @MainActor
    private static func start(_ requests: [Request], by client: Client) -> [(StageObserver, StageObserver)] {
        requests.map { request in
            let call = client.start(request, notifying: .default)
            return (StageObserver(of: call), StageObserver(of: call))
        }
    }
}

#endif
