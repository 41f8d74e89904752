// RunPrinter: the lines that a run of files prints.

import Synchronization
import Tsubame
import TsubamePlatform
import TsubameRequestFiles
import TsubameTerminal

/// The outcome of a file.
struct FileResult: Sendable {
    let path: String
    let outcomes: [EntryOutcome]
    let nanoseconds: UInt64
    /// The number of entries that did not run, because one before them failed or the run was interrupted.
    let left: Int
    /// Texts that reports print must go through ``FileVariables/redacted(_:)``.
    let variables: FileVariables

    var isGood: Bool { left == 0 && outcomes.allSatisfy(\.isGood) }
}

/// Prints a file's lines together, also while other files run.
final class RunPrinter: Sendable {
    private let isVerbose: Bool
    private let lock = Mutex(())

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// The lines of one entry: its failures, and with `--verbose` the entry itself.
    func lines(of outcome: EntryOutcome, in path: String, _ variables: FileVariables) -> [String] {
        var lines: [String] = []
        let path = outcome.entry.importedFrom ?? path
        let title = outcome.entry.title ?? outcome.entry.name
        let request = outcome.request ?? outcome.entry.summary
        let row = outcome.row.map { ", row \($0)" }
        let name = (title.map { "\($0), \(request)" } ?? request) + (row ?? "")
        if isVerbose {
            var end = outcome.isSkipped ? "skipped" : outcome.status.map { "\($0)" } ?? "no response"
            if outcome.attempts > 1 { end += ", sent \(outcome.attempts) times" }
            lines.append("\(name): \(end), \(Self.time(outcome.nanoseconds))")
        }
        if let problem = outcome.problem {
            lines.append("\(path):\(problem.place.line): \(name)\n  \(problem.reason)")
        }
        for failure in outcome.failures {
            // Escapes would hide a secret from the redaction.
            var (expected, actual) = (variables.redacted(failure.expected), variables.redacted(failure.actual))
            // A predicate may stand before the expected value.
            if Self.alike(expected).hasSuffix(Self.alike(actual)) {
                (expected, actual) = (Self.escaped(expected), Self.escaped(actual))
            }
            lines.append(
                """
                \(path):\(failure.place.line): \(name)
                  \(failure.text)
                  expected: \(expected)
                  came:     \(actual)
                """)
        }
        return lines.map { Self.shortened(variables.redacted($0)) }
    }

    /// The text as the eye sees it: each blank is one of many.
    private static func alike(_ text: String) -> String {
        String(text.map { $0.isWhitespace ? " " : $0 })
    }

    /// The text with names for all blanks but the usual one, and for characters outside of ASCII.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            result +=
                scalar.value >= 0x20 && scalar.value < 0x7F ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// The lines with at most 200 characters each of long values.
    private static func shortened(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.utf8.count > 300 ? $0.prefix(300) + "…" : $0 }.joined(separator: "\n")
    }

    func write(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        let text = lines.map(Canvas.visible).joined(separator: "\n") + "\n"
        try lock.withLock { _ in try Descriptor.output.writeAll(text) }
    }

    func write(_ lines: [String], _ result: FileResult) throws {
        let requests = CountText.of(result.outcomes.count { !$0.isSkipped }, "request")
        let failed = result.outcomes.count { !$0.isGood }
        var end = failed == 0 ? (result.left > 0 ? "interrupted" : "ok") : "\(failed) failed"
        if result.left > 0 { end += ", \(result.left) not run" }
        let last = "\(result.path): \(end), \(requests) in \(Self.time(result.nanoseconds))"
        try write(lines + [last])
    }

    func writeTotal(_ results: [FileResult], nanoseconds: UInt64) throws {
        let failed = results.count { !$0.isGood }
        let requests = results.reduce(0) { $0 + $1.outcomes.count { !$0.isSkipped } }
        let end = failed == 0 ? "all ok" : "\(failed) failed"
        try Descriptor.output.writeAll(
            "\(CountText.of(results.count, "file")): \(end), \(CountText.of(requests, "request")) in \(Self.time(nanoseconds))\n"
        )
    }

    private static func time(_ nanoseconds: UInt64) -> String {
        Duration.nanoseconds(Int64(clamping: nanoseconds)).inSeconds
    }
}
