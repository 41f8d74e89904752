// ShownText: a call as the page shows it, for the filter.

import HTTPTypes
package import TsubameCore

/// Everything but the bodies that a filter asks for, without secrets, in bytes and numbers. Making it costs more than searching it, so
/// ``ShownTexts`` keeps it.
package final class ShownText: Sendable {
    let id: UInt64
    /// In upper case.
    let method: String
    /// 0 without a response.
    let status: Double
    /// In milliseconds.
    let duration: Double
    /// The bytes of the last response's body.
    let size: Double
    let host: [UInt8]
    let path: [UInt8]
    let type: [UInt8]
    let version: [UInt8]
    let error: [UInt8]?
    let tags: [String]
    /// Each field as a line that begins with a line feed.
    let fields: [UInt8]
    /// Method, URL, status, decisions and the failure, each on a line.
    let others: [UInt8]

    package convenience init(_ call: LoggedCall) { self.init(call, CallRow(call)) }

    init(_ call: LoggedCall, _ row: CallRow) {
        let last = call.lastResponse
        id = call.id
        method = call.request.method.rawValue.uppercased()
        status = Double(last?.statusCode ?? 0)
        duration = Double(call.duration) / 1e6
        size = Double(call.received)
        host = Array(row.host.utf8)
        path = Array(row.path.utf8)
        type = Array((last?.headers[.contentType] ?? "").utf8)
        version = Array(row.version.utf8)
        error = row.error.map { Array($0.utf8) }
        tags = row.tags
        var (fields, lines) = ("", ["\(row.method)", row.url])
        if row.status > 0 { lines.append("\(row.status)") }
        let redaction = call.request.redaction
        func add(_ list: some Sequence<HTTPField>) {
            for field in list { fields += "\n\(field.name.rawName): \(redaction.value(of: field))" }
        }
        var hasHead = false
        for event in call.events {
            switch event.kind {
            case .sent(let request): add(request.headers)
            case .resending: hasHead = false
            case .headReceived(let response):
                hasHead = true
                add(response.wire)
            // The response of a cache, or of an interceptor.
            case .finished(let response): if !hasHead || response.isFromCache { add(response.wire) }
            case .caching(let words), .decision(let words): lines.append(words)
            case .failed(let error): lines.append("\(error.kind.rawValue): \(error.reason)")
            default: break
            }
        }
        self.fields = Array(fields.utf8)
        others = Array(lines.joined(separator: "\n").utf8)
    }

    /// An estimate of the memory, in bytes.
    var byteCount: Int { 256 + host.count + path.count + type.count + version.count + fields.count + others.count }

    func has(_ text: ByteSearch) -> Bool { text.isIn(others) || text.isIn(fields) }

    /// Whether a field has this text in its value.
    /// - Parameter start: a line feed, the name and a colon.
    func hasField(_ start: ByteSearch, _ value: ByteSearch?) -> Bool {
        fields.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let found = start.firstRange(in: UnsafeRawBufferPointer(rebasing: rest)) {
                rest = rest.dropFirst(found.upperBound)
                guard let value else { return true }
                let line = rest.prefix { $0 != 0x0A }
                if value.isIn(UnsafeRawBufferPointer(rebasing: line.dropFirst())) { return true }
            }
            return false
        }
    }
}

extension ByteSearch {
    func isIn(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isIn($0) } }
}

extension LoggedCall {
    /// The bytes of the last response's body.
    fileprivate var received: Int64 {
        for event in events.reversed() {
            if case .receiving(let progress) = event.kind { return progress.bytes }
        }
        return 0
    }
}
