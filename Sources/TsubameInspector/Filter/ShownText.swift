// ShownText: the words of a call as the page shows them, for the filter.

import HTTPTypes
package import TsubameCore

/// The words of a call without secrets, in bytes. Making them costs more than searching them, so ``ShownTexts`` keeps them.
package struct ShownText: Sendable {
    let host: [UInt8]
    let path: [UInt8]
    let type: [UInt8]
    let version: [UInt8]
    let error: [UInt8]?
    let tags: [String]
    /// Method, URL, status, fields, decisions and the failure, each on a line.
    let all: [UInt8]

    package init(_ call: LoggedCall) { self.init(call, CallRow(call)) }

    init(_ call: LoggedCall, _ row: CallRow) {
        host = Array(row.host.utf8)
        path = Array(row.path.utf8)
        type = Array((call.lastResponse?.headers[.contentType] ?? "").utf8)
        version = Array(row.version.utf8)
        error = row.error.map { Array($0.utf8) }
        tags = row.tags
        var lines = ["\(row.method)", row.url]
        if row.status > 0 { lines.append("\(row.status)") }
        let redaction = call.request.redaction
        func add(_ fields: some Sequence<HTTPField>) {
            for field in fields { lines.append("\(field.name.rawName): \(redaction.value(of: field))") }
        }
        for event in call.events {
            switch event.kind {
            case .sent(let request): add(request.headers)
            case .headReceived(let response): add(response.wire)
            case .finished(let response): if response.isFromCache { add(response.wire) }
            case .caching(let words), .decision(let words): lines.append(words)
            case .failed(let error): lines.append("\(error.kind.rawValue): \(error.reason)")
            default: break
            }
        }
        all = Array(lines.joined(separator: "\n").utf8)
    }

    /// An estimate of the memory, in bytes.
    var size: Int { 256 + host.count + path.count + type.count + version.count + all.count }
}

extension ByteSearch {
    func isIn(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isIn($0) } }
}
