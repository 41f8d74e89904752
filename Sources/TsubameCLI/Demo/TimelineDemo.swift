// TimelineDemo: a timeline in XML, loaded by code that does not know its observers.
#if Server
import HTTPBin
import Synchronization
import Tsubame

/// Counts the stages of transfers. A client can have any number of such observers.
private final class StageCounter: Sendable {
    private struct Stages: Sendable {
        var responses = 0
        var pieces = 0
        var finished = 0
        var failed = 0
    }

    private let stages = Mutex(Stages())

    func take(_ event: CallEvent) {
        stages.withLock { stages in
            switch event.kind {
            case .headReceived: stages.responses += 1
            case .receiving: stages.pieces += 1
            case .finished: stages.finished += 1
            case .failed, .cancelled: stages.failed += 1
            default: break
            }
        }
    }

    var description: String {
        stages.withLock { stages in
            "response \(stages.responses), data \(stages.pieces > 0 ? "yes" : "no"), "
                + "finished \(stages.finished), failed \(stages.failed)"
        }
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
        ledger.title("3. A timeline in XML, with two observers and an activity indicator")
        let (first, second) = (StageCounter(), StageCounter())
        let observations = [client.observe { first.take($0) }, client.observe { second.take($0) }]
        let highest = Counter()
        let indicator = ActivityMonitor(client) { if $0 > 0 { highest.increase() } }

        let user = "燕 & co/#1"
        let response = try await client.get("timeline/\(user).xml", query: ["count": 2])
        let record = try await server.request("/timeline")
        ledger.show(record)
        ledger.compare(
            "the user's name stays one segment", record.target,
            with: "/timeline/%E7%87%95%20%26%20co%2F%231.xml?count=2")
        for observer in [first, second] {
            ledger.compare("stages", observer.description, with: "response 1, data yes, finished 1, failed 0")
        }
        let xml = try await response.text()
        for line in xml.split(whereSeparator: \.isNewline).prefix(6) { ledger.write("  < \(line)") }
        ledger.compare(
            "the text of the first line", xml.split(whereSeparator: \.isNewline).first.map(String.init),
            with: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        ledger.show(response.timings)

        do {
            let missing = try await client.get("timeline/nobody.xml")
            ledger.show(try await server.request("/timeline"))
            _ = try await missing.text()
            ledger.compare("a 404 does not look like success", "it did", with: "404")
        } catch let error as CallError {
            ledger.compare("a 404 does not look like success", error.response?.statusCode ?? 0, with: 404)
        }
        for observation in observations { observation.cancel() }
        // The counts are reported on the main actor.
        await MainActor.run {}
        ledger.compare("the indicator went on", highest.value, with: 2)
        ledger.compare("and off again", indicator.count, with: 0)
        await client.close()
    }
}

#endif
