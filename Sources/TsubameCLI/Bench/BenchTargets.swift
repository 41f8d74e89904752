// BenchTargets: the URLs of a load.

import Tsubame

/// The URL of the command line, or those of a file.
enum BenchTargets {
    /// The longest file that is read, in bytes.
    private static let maximumBytes = 64 << 20

    /// The words of each request: method, URL, and the items of the command line.
    /// - Parameter path: the file of `--urls`; nil for the URL among the words.
    static func words(_ words: [String], file path: String?, defaultScheme: String?) throws -> [RequestWords] {
        guard let path else {
            return [try RequestWords(words, defaultScheme: defaultScheme, isDownload: false)]
        }
        var targets: [RequestWords] = []
        let name = path == "-" ? "the standard input" : path
        let lines = try text(path, name).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if let word = words.first, word.drop(while: \.isLetter).hasPrefix("://") {
            throw UsageProblem("--urls gives the URLs, so “\(OneLine.printable(word))” is one too many.")
        }
        for (index, line) in lines.enumerated() {
            let parts = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = parts.first, !first.hasPrefix("#") else { continue }
            do throws(UsageProblem) {
                guard parts.count <= 2 else { throw UsageProblem("a line is a URL, or a method and a URL.") }
                let target = try RequestWords(parts + words, defaultScheme: defaultScheme, isDownload: false)
                guard parts.count == (target.method == nil ? 1 : 2) else {
                    let isURL = first.contains { ":/?".contains($0) }
                    throw UsageProblem(
                        isURL ? "a space in a URL is written %20." : "“\(OneLine.printable(first))” is not a method.")
                }
                do throws(CallError) {
                    _ = try TargetURI(parsing: target.url)
                } catch {
                    throw UsageProblem("\(error.reason)\(error.advice.map { "; \($0)" } ?? "").")
                }
                targets.append(target)
            } catch {
                throw UsageProblem("\(name):\(index + 1): \(error.description)")
            }
        }
        guard !targets.isEmpty else { throw UsageProblem("--urls: there is no URL in \(name).") }
        return targets
    }

    private static func text(_ path: String, _ name: String) throws -> String {
        let file = path == "-" ? Descriptor.input : try Descriptor.reading(HomePath.expand(path))
        defer { if path != "-" { file.shut() } }
        guard let bytes = try file.readAll(atMost: maximumBytes) else {
            throw UsageProblem("--urls: \(name) is longer than 64 MiB.")
        }
        // Some editors begin a file with a byte order mark.
        return String(String(decoding: bytes, as: UTF8.self).trimmingPrefix("\u{FEFF}"))
    }
}
