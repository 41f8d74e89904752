// Verdict: the facts that a run prints, and the promises that it found broken.

import Foundation
import Synchronization

/// Prints each fact when it is known. A broken promise makes the process end with status 1.
final class Verdict: Sendable {
    private let broken = Mutex<[String]>([])
    /// Whether time and memory are judged. A short run says nothing about memory, and tests must not depend on time.
    let isFull: Bool

    init(isFull: Bool) { self.isFull = isFull }

    func say(_ text: String) {
        // Not `print`, whose buffer would be lost if the process crashed.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Prints what was promised and whether it holds.
    func promise(_ text: String, _ holds: Bool) {
        say("\(holds ? "kept" : "BROKEN"): \(text)")
        if !holds { broken.withLock { $0.append(text) } }
    }

    /// Promises something about time or memory, which only a full run judges.
    func promiseInFull(_ text: String, _ holds: Bool) {
        if isFull { promise(text, holds) } else { say("not judged: \(text)") }
    }

    /// Promises that memory has not grown since half of these samples were taken.
    func promiseFlat(_ samples: [Int]) {
        let (middle, end) = (samples.dropFirst(samples.count / 2).first ?? 0, samples.suffix(5).max() ?? 0)
        promiseInFull(
            "memory is flat over the second half: \(mebibytes(middle)), then \(mebibytes(end))",
            end <= middle + middle / 10 + (4 << 20))
    }

    var exitStatus: Int32 { broken.withLock { $0.isEmpty } ? 0 : 1 }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}

extension [Double] {
    /// The value that this share of all values does not exceed.
    func percentile(_ share: Double) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int((Double(count) * share).rounded(.up)) - 1)]
    }
}

func mebibytes(_ bytes: Int) -> String { String(format: "%.1f MiB", Double(bytes) / 1_048_576) }
