// Replay: the response that an entry of an archive holds.

internal import HTTPTypes
internal import Tsubame
internal import TsubameCore

struct Replay: Sendable {
    private let entry: HTTPArchive.Entry
    private let index: Int

    init(_ entry: HTTPArchive.Entry, index: Int) {
        self.entry = entry
        self.index = index
    }

    /// - Throws: ``CallError/Kind/file`` if the entry holds no response that could be replayed.
    func response(to request: Request) throws(CallError) -> Response {
        let recorded = entry.response
        let lines = recorded.headers.reduce(0) { $0 + 1 + $1.value.utf8.count { $0 == 0x0A } }
        guard lines <= Self.mostFields else {
            throw failure("has \(lines) fields, and not at most \(Self.mostFields)")
        }
        guard (200...999).contains(recorded.status) else {
            throw failure("has the status \(recorded.status), which is no final response")
        }
        let content = recorded.content
        let hasContent = content.text != nil || content.size > 0
        guard let bytes = hasContent ? content.bytes : [] else {
            throw failure(content.text == nil ? "does not hold its content" : "has a content that is not in base64")
        }
        let status = HTTPResponse.Status(code: recorded.status, reasonPhrase: recorded.statusText)
        guard content.isIncomplete else {
            return Response(status: status, headers: fields(request, bytes.count), body: Bytes(bytes), request: request)
        }
        let (body, writer) = ResponseBody.makeStream(onPause: {}, onResume: {}, onCancel: {})
        writer.write(Bytes(bytes))
        writer.fail(
            CallError(
                .incompleteResponse, "entry \(index) of the recording ends here", phase: .receivingBody,
                advice: "the reader gave the body up when it was recorded; record it again"))
        return Response(status: status, headers: fields(request, nil), body: body)
    }

    /// Many more than a client accepts; a list of fields has a limit of its own.
    private static let mostFields = 10_000

    private func failure(_ words: String) -> CallError {
        CallError(
            .file, "entry \(index) of the recording \(words)", phase: .waitingForHead,
            advice: "record it again, or remove the entry")
    }

    /// The fields that describe the message as it is replayed.
    /// - Parameter count: the length of the content; nil if it is not known.
    private func fields(_ request: Request, _ count: Int?) -> HTTPFields {
        var fields = entry.response.headers.fields
        fields[.transferEncoding] = nil
        // The content is recorded without its codings, and secrets have another length.
        if !entry.response.content.isCoded, let codings = fields[.contentEncoding], DecodedContent.isKnown(codings) {
            fields[.contentEncoding] = nil
        }
        if request.method != .head, let length = fields[.contentLength], length != count.map({ "\($0)" }) {
            fields[.contentLength] = nil
        }
        return fields
    }
}
