// DownloadOptions: the options about what is saved to files.
#if Tool
import Tsubame

struct DownloadOptions: Options {
    var download = false
    var resumes = false
    var connections = 1
    var digest: DownloadPolicy.Digest?

    static let title = "Downloads"
    static let options: [CommandOption<Self>] = [
        .flag(
            "download", letter: "d",
            "Save to a file, named by the server or the URL unless by --output, with the date of the server's; items that are "
                + "URLs are downloads too."
        ) { $0.download = true },
        .flag(
            "continue", letter: "c",
            "Go on behind what an earlier --download with --continue has left, if the server still has the same, and leave "
                + "what comes if it breaks off; with --retry, go on at once. A file of the server's length and date, or of "
                + "the digest that is known, is left as it is."
        ) { $0.resumes = true },
        .number(
            "connections", "n",
            "Over how many connections a large file comes, 4 MiB each at least, if the server serves ranges: 1 to 16.",
            shown: { "\($0.connections)" }
        ) { $0.connections = $1 },
        .value(
            "digest", "sha256:hex", "What the file must come to; otherwise nothing of it is kept.", reading: digest
        ) { $0.digest = $1 },
    ]

    private static func digest(_ text: String) throws(UsageProblem) -> DownloadPolicy.Digest {
        let digits = text.dropFirst("sha256:".count)
        guard text.lowercased().hasPrefix("sha256:"), digits.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw UsageProblem("“\(text)” is no digest: sha256: and 64 hexadecimal digits are meant.")
        }
        return .sha256(String(digits))
    }

    func validate() throws(UsageProblem) {
        guard (1...16).contains(connections) else { throw UsageProblem("--connections is a number from 1 to 16.") }
        guard !download else { return }
        if resumes { throw UsageProblem("--continue goes on with a --download.") }
        if connections > 1 { throw UsageProblem("--connections are those of a --download.") }
        if digest != nil { throw UsageProblem("--digest is of a --download.") }
    }

    var policy: DownloadPolicy {
        .standard {
            $0.connections = connections
            $0.digest = digest
            $0.keepsWhole = true
        }
    }
}

#endif
