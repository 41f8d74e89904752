// DemoLedger: prints and compares what the server received with what is expected.
#if Server && XML
import HTTPBin
import Synchronization
import Tsubame

/// Prints the requests that the server received, and compares them byte by byte with the expected ones.
final class DemoLedger: Sendable {
    private struct Counts: Sendable {
        var compared = 0
        var wrong = 0
    }

    private let flip: Int?
    private let counts = Mutex(Counts())

    init(flip: Int?) { self.flip = flip }

    func write(_ line: String) { print(line) }

    func title(_ text: String) { write("\n== \(text)") }

    /// Prints the head as it came over the wire, and the body if it is short. The value of a field `password` is withheld.
    func show(_ record: RequestRecord) {
        for line in String(decoding: record.head, as: UTF8.self).split(whereSeparator: \.isNewline) {
            write("  > \(line)")
        }
        if record.bodyByteCount > 512 {
            write("  > (\(record.bodyByteCount) bytes)")
        } else if !record.body.isEmpty {
            let body = String(decoding: record.body, as: UTF8.self)
            write("  > \(body.replacing(#/password=[^&]*/#, with: "password=[redacted]"))")
        }
    }

    func show(_ timings: Timings) {
        let parts = [
            ("connected", timings.connected), ("sent", timings.sent), ("head", timings.head), ("whole", timings.total),
        ].compactMap { name, time in time.map { "\(name) \(Self.milliseconds($0))" } }
        write("  timings: \(parts.joined(separator: ", "))")
    }

    private static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let fraction = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) ms"
    }

    /// Compares received bytes with the expected ones.
    func compare(_ what: String, _ received: some Sequence<UInt8>, with expected: String) {
        let received = Array(received)
        var expected = Array(expected.utf8)
        let number = counts.withLock { counts in
            counts.compared += 1
            return counts.compared
        }
        if number == flip {
            if expected.isEmpty { expected = [0] } else { expected[expected.count / 2] ^= 1 }
        }
        guard received != expected else { return write("  ok \(number): \(what) (\(received.count) bytes)") }
        counts.withLock { $0.wrong += 1 }
        write("  WRONG \(number): \(what)")
        write("    received: \(String(decoding: received, as: UTF8.self))")
        write("    expected: \(String(decoding: expected, as: UTF8.self))")
        let offset = zip(received, expected).prefix { $0 == $1 }.count
        write("    they differ from byte \(offset + 1) on")
    }

    func compare(_ what: String, _ received: String?, with expected: String) {
        compare(what, (received ?? "(nothing)").utf8, with: expected)
    }

    func compare(_ what: String, _ received: Int, with expected: Int) {
        compare(what, "\(received)", with: "\(expected)")
    }

    /// Counts a job that cannot run as one wrong comparison.
    func fail(_ reason: String) {
        let number = counts.withLock { counts in
            counts.compared += 1
            counts.wrong += 1
            return counts.compared
        }
        write("  WRONG \(number): \(reason)")
    }

    /// Prints the total.
    /// - Returns: whether every comparison is right.
    func close() -> Bool {
        let counts = counts.withLock { $0 }
        if let flip, !(1...max(counts.compared, 1)).contains(flip) {
            write("\nThere is no comparison \(flip): there are \(counts.compared).")
            return false
        }
        write(
            counts.wrong == 0
                ? "\nAll \(counts.compared) comparisons are right."
                : "\n\(counts.wrong) of \(counts.compared) comparisons are wrong.")
        return counts.wrong == 0
    }
}

#endif
