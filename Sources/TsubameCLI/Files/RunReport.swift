// RunReport: the reports of a run, for programs and for a browser.

import Tsubame
import TsubameRequestFiles

struct RunReport {
    private let results: [FileResult]

    init(_ results: [FileResult]) { self.results = results }

    func write(_ report: RunOptions.Report) throws {
        let text =
            switch report.kind {
            case .json: json.indentedText + "\n"
            case .junit: junit
            case .html: html
            }
        do throws(SystemError) {
            let output = try OutputFile(report.path)
            try output.write(text)
            try output.finish()
        } catch {
            throw error.of("--report")
        }
    }

    // MARK: JSON

    private var json: JSONValue {
        .array(
            results.map { result in
                .object([
                    ("filename", .string(result.path)), ("success", .bool(result.isGood)),
                    ("time", .integer(Int128(clamping: result.nanoseconds / 1_000_000))),
                    ("entries", .array(result.outcomes.map { Self.json($0, result.variables) })),
                ])
            })
    }

    private static func json(_ outcome: EntryOutcome, _ variables: FileVariables) -> JSONValue {
        func text(_ text: String) -> JSONValue { .string(variables.redacted(text)) }
        var members: [(name: String, value: JSONValue)] = [
            ("line", .integer(Int128(outcome.entry.place.line))),
            ("title", text(title(of: outcome))), ("request", text(name(of: outcome))),
            ("status", outcome.status.map { .integer(Int128($0)) } ?? .null),
            ("time", .integer(Int128(clamping: outcome.nanoseconds / 1_000_000))),
            ("attempts", .integer(Int128(outcome.attempts))), ("skipped", .bool(outcome.isSkipped)),
            ("success", .bool(outcome.isGood)),
        ]
        if let problem = outcome.problem {
            members.append(
                ("error", .object([("line", .integer(Int128(problem.place.line))), ("reason", text(problem.reason))])))
        }
        members.append(
            (
                "failures",
                .array(
                    outcome.failures.map { failure in
                        .object([
                            ("line", .integer(Int128(failure.place.line))), ("assert", text(failure.text)),
                            ("expected", text(failure.expected)), ("actual", text(failure.actual)),
                        ])
                    })
            ))
        return .object(members)
    }

    private static func name(of outcome: EntryOutcome) -> String {
        outcome.request ?? outcome.entry.summary
    }

    /// The title of an entry, which is the same in each run.
    private static func title(of outcome: EntryOutcome) -> String {
        let title = outcome.entry.title ?? outcome.entry.name ?? "\(outcome.entry.method) \(outcome.entry.url.source)"
        return title + (outcome.row.map { ", row \($0)" } ?? "")
    }

    private enum ReasonKind {
        /// The request could not be made, or was not answered.
        case request
        /// The response could not be used, for a capture or a file.
        case response
        case assert
    }

    /// The reasons why an entry failed.
    private static func reasons(of outcome: EntryOutcome) -> [(kind: ReasonKind, text: String)] {
        let kind = outcome.status == nil ? ReasonKind.request : .response
        let problems = outcome.problem.map { [(kind, "line \($0.place.line): \($0.reason)")] } ?? []
        return problems
            + outcome.failures.map {
                (.assert, "line \($0.place.line): \($0.text)\nexpected: \($0.expected)\ncame: \($0.actual)")
            }
    }

    // MARK: JUnit and HTML

    private var junit: String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
        for result in results {
            let errors = result.outcomes.count { $0.problem != nil && $0.status == nil }
            let failures = result.outcomes.count { !$0.isGood } - errors
            let skipped = result.outcomes.count(where: \.isSkipped)
            lines.append(
                "<testsuite name=\"\(Self.escaped(result.path))\" tests=\"\(result.outcomes.count)\" "
                    + "failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\" "
                    + "time=\"\(Self.seconds(result.nanoseconds))\">")
            for outcome in result.outcomes {
                let name = Self.escaped(result.variables.redacted(Self.title(of: outcome)))
                let head =
                    "<testcase classname=\"\(Self.escaped(result.path))\" name=\"\(name)\" "
                    + "time=\"\(Self.seconds(outcome.nanoseconds))\""
                let inner =
                    outcome.isSkipped
                    ? ["<skipped/>"]
                    : Self.reasons(of: outcome).map { reason in
                        let text = Self.escaped(result.variables.redacted(reason.text))
                        let first = text.prefix { !$0.isNewline }
                        let element = reason.kind == .request ? "error" : "failure"
                        return "<\(element) message=\"\(first)\" type=\"\(reason.kind)\">\(text)</\(element)>"
                    }
                lines.append(inner.isEmpty ? "\(head)/>" : "\(head)>\(inner.joined())</testcase>")
            }
            lines.append("</testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private var html: String {
        var rows: [String] = []
        for result in results {
            for outcome in result.outcomes {
                let state = outcome.isSkipped ? "skipped" : outcome.isGood ? "ok" : "failed"
                let reasons = Self.reasons(of: outcome).map { _, reason in
                    "<pre>\(Self.escaped(result.variables.redacted(reason)))</pre>"
                }
                rows.append(
                    "<tr class=\"\(state)\"><td>\(Self.escaped(result.path)):\(outcome.entry.place.line)</td><td>"
                        + "<b>\(Self.escaped(result.variables.redacted(Self.title(of: outcome))))</b><br>"
                        + Self.escaped(result.variables.redacted(Self.name(of: outcome)))
                        + "\(reasons.joined())</td><td>\(outcome.status.map { "\($0)" } ?? "")</td>"
                        + "<td>\(outcome.nanoseconds / 1_000_000) ms</td><td>\(state)</td></tr>")
            }
        }
        let failed = results.count { !$0.isGood }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>tsubame run</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
            table { border-collapse: collapse; width: 100%; }
            td, th { border-bottom: 1px solid #8884; padding: .4rem .8rem; text-align: left; vertical-align: top; }
            pre { margin: .3rem 0; white-space: pre-wrap; }
            .failed td { color: #b00020; }
            .skipped td { color: #777; }
            </style></head><body>
            <h1>\(CountText.of(results.count, "file")), \(failed) failed</h1>
            <table><tr><th>Place</th><th>Request</th><th>Status</th><th>Time</th><th>Result</th></tr>
            \(rows.joined(separator: "\n"))
            </table></body></html>

            """
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        let thousandths = nanoseconds / 1_000_000
        let rest = String(thousandths % 1_000)
        return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    /// Text for XML and HTML. Characters that XML does not allow become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\n", "\t": result.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
