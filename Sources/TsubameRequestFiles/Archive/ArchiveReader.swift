// ArchiveReader: the requests of an HTTP archive (HAR 1.2) as entries.

import HTTPTypes
package import TsubameCore

package enum ArchiveReader {
    /// Fields that the transport makes, and those that only described the connection.
    private static let left: Set = [
        "host", "content-length", "connection", "transfer-encoding", "keep-alive", "te", "upgrade",
    ]

    /// The requests in the order of the archive. Each expects the status that was recorded. Redirects are entries of
    /// their own and cookies are fields, so redirects are not followed and no jar is used.
    /// - Throws: ``FileProblem`` if the bytes are no archive.
    package static func file(_ bytes: [UInt8], path: String) throws(FileProblem) -> RequestFile {
        let archive: HTTPArchive
        do throws(HTTPArchiveError) {
            archive = try HTTPArchive(json: bytes)
        } catch {
            throw FileProblem(
                path: path, place: FilePlace(line: 1, column: 1), reason: error.description, text: "")
        }
        var file = RequestFile(path: path)
        for (index, recorded) in archive.entries.enumerated() {
            let place = FilePlace(line: index + 1, column: 1)
            guard recorded.request.url.lowercased().hasPrefix("http") else { continue }
            let isClean = recorded.request.url.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
            guard isClean, HTTPRequest.Method(recorded.request.method) != nil else {
                throw FileProblem(
                    path: path, place: place, reason: "entry \(index + 1) has a wrong method or URL", text: "")
            }
            var entry = FileEntry(
                place: place, method: recorded.request.method, url: TemplateText(recorded.request.url))
            for field in recorded.request.headers.fields where !left.contains(field.name.canonicalName) {
                entry.fields.append(
                    FileEntry.Field(
                        name: TemplateText(field.name.rawName), value: TemplateText(field.value), place: place))
            }
            entry.standardOptions = [
                FileEntry.Option(name: "location", value: TemplateText("false"), place: place),
                FileEntry.Option(name: "cookies", value: TemplateText("false"), place: place),
            ]
            if let data = recorded.request.postData, let bytes = data.bytes, !bytes.isEmpty {
                let text = String(validating: bytes, as: UTF8.self)
                entry.body = text.map { .text(TemplateText($0), .plain) } ?? .bytes(bytes)
                if !data.mimeType.isEmpty,
                    !entry.fields.contains(where: { $0.name.source.lowercased() == "content-type" })
                {
                    entry.fields.append(
                        FileEntry.Field(
                            name: TemplateText("Content-Type"), value: TemplateText(data.mimeType), place: place))
                }
            }
            if (100...999).contains(recorded.response.status) {
                var response = ExpectedResponse(place: place)
                response.status = recorded.response.status
                entry.response = response
            }
            file.entries.append(entry)
        }
        return file
    }

    /// An archive of requests that were not sent, as JSON.
    /// - Parameter readFile: the content of a file that is a body.
    /// - Returns: the archive, and the parts of the requests that it cannot hold.
    package static func archive(
        of requests: [(Request, FileEntry)], started: String, version: String, readFile: (String) throws -> [UInt8]
    ) throws -> (json: [UInt8], losses: [String]) {
        var archive = HTTPArchive(creator: HTTPArchive.Creator(name: "tsubame", version: version))
        var losses: [String] = []
        for (request, source) in requests {
            if source.allOptions.contains(where: { $0.name == "digest" && $0.value.source == "true" }) {
                losses.append("the credentials of \(request.summary), which answer a challenge")
            }
            let shown = ShownRequest(request, showingSecrets: true)
            var headers = shown.fields.map { HTTPArchive.Pair($0.name.rawName, $0.value) }
            if let type = shown.contentType { headers.append(HTTPArchive.Pair("Content-Type", type)) }
            var bytes: [UInt8]?
            switch shown.content {
            case .text(let text): bytes = Array(text.utf8)
            case .bytes(let content): bytes = content
            case .file(let path): bytes = try readFile(path)
            case .stream: losses.append("the body of \(request.summary), which has parts from files")
            case .none: break
            }
            let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
            let body = bytes.map {
                HTTPArchive.PostData(RecordedBody(content: Bytes($0), transferred: $0.count), type: type)
            }
            var entry =
                HTTPArchive.Entry(
                    startedDateTime: started,
                    request: HTTPArchive.Request(
                        method: shown.method.rawValue, url: shown.url, headers: headers, postData: body),
                    response: HTTPArchive.Response(status: 0))
            entry.update()
            archive.entries.append(entry)
        }
        return (try archive.json(), losses)
    }
}
