// UploadScript: the server's side of a resumable upload, as a script of offers, offsets and interruptions.

import HTTPTypes
import Tsubame
import TsubameTesting

/// Responses in the terms of draft-ietf-httpbis-resumable-upload.
enum UploadScript {
    /// A 104 response with the URL of the upload.
    static func offer(_ location: String = "/u/1", _ more: String = "") -> Reply.Step {
        interim("Location: \(location)\r\n\(more)")
    }

    /// A 104 response with these lines, each with its line end.
    static func interim(_ lines: String, version: String = "8") -> Reply.Step {
        .bytes(
            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(version)\r\n\(lines)\r\n")
    }

    /// The offset of the upload, or any text in its place.
    static func has(_ offset: String, complete: Bool = false, _ more: String = "") -> Reply {
        [
            .bytes(
                "HTTP/1.1 204 No Content\r\nUpload-Offset: \(offset)\r\nUpload-Complete: ?\(complete ? 1 : 0)\r\n"
                    + "\(more)\r\n")
        ]
    }

    /// The response to the complete upload.
    static let done: Reply = [
        .bytes("HTTP/1.1 200 OK\r\nUpload-Complete: ?1\r\nContent-Length: 4\r\n\r\n"), .content(Array("done".utf8)),
    ]

    /// Reads the whole request, offers a URL, and interrupts once the client has seen the offer. A server that names a
    /// number of bytes must have received them.
    static func broken(_ offer: Reply.Step = offer(), _ seen: Gate) -> Reply {
        [.wholeRequest, offer, .wait(for: seen), .close]
    }
}

/// Opens a gate for each 104 that the client has seen.
final class SeenOffers: Sendable {
    let gates: [Gate]
    private let count = Log<Int>()

    init(_ count: Int = 1) { gates = (0..<count).map { _ in Gate() } }

    func take(_ event: CallEvent) {
        guard case .informational(status: 104, _) = event.kind else { return }
        let index = count.all.count
        count.add(index)
        if gates.indices.contains(index) { gates[index].open() }
    }

    subscript(index: Int) -> Gate { gates[index] }
}

extension RetryPolicy {
    /// Three retries without a delay.
    static var prompt: RetryPolicy { .standard { $0.delay = .zero } }
}

/// These steps, and then those of the reply.
func + (steps: [Reply.Step], reply: Reply) -> Reply { Reply(steps + reply.steps) }
