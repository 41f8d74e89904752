// DownloadOptions: the options that save responses to files.

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
            "Save to a file, named by --output, the server or the URL, with the server's date. Follows redirects. Items "
                + "that are URLs are downloaded too. A file on the standard output gets the body of one URL, unless -o or "
                + "-P names another place; --continue and --digest need one. -o - writes to a pipe."
        ) { $0.download = true },
        .flag(
            "continue", letter: "c",
            "Resume an earlier --download --continue if the server's file is unchanged, and keep the part if the transfer "
                + "breaks off; with --retry, resume at once. A file with the server's length and date, or the --digest, is "
                + "left as it is."
        ) { $0.resumes = true },
        .number(
            "connections", "n",
            "Connections for a large file, at least 4 MiB each, if the server supports ranges: 1 to 16.",
            shown: { "\($0.connections)" }
        ) { $0.connections = $1 },
        .value(
            "digest", "sha256:hex", "The expected digest; a file with another one is not kept.", reading: digest
        ) { $0.digest = $1 },
    ]

    private static func digest(_ text: String) throws(UsageProblem) -> DownloadPolicy.Digest {
        let digits = text.dropFirst("sha256:".count)
        guard text.lowercased().hasPrefix("sha256:"), digits.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw UsageProblem("“\(text)” is not a digest: write sha256: and 64 hexadecimal digits.")
        }
        return .sha256(String(digits))
    }

    func validate() throws(UsageProblem) {
        guard (1...16).contains(connections) else { throw UsageProblem("--connections is a number from 1 to 16.") }
        guard !download else { return }
        if resumes { throw UsageProblem("--continue needs --download.") }
        if connections > 1 { throw UsageProblem("--connections needs --download.") }
        if digest != nil { throw UsageProblem("--digest needs --download.") }
    }

    var policy: DownloadPolicy {
        .standard {
            $0.connections = connections
            $0.digest = digest
            $0.usesExistingFiles = true
        }
    }
}
