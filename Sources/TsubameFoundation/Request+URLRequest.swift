// Request+URLRequest: requests and responses from and to the types of URLSession.

public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Tsubame
import TsubameCore

extension Request {
    /// The request of a URLRequest: method, URL, fields, body, cache policy and timeout.
    ///
    /// The timeout becomes `timeouts.idle`, which has the meaning that URLSession gives it; the default of 60 s is left
    /// out. A body stream of URLRequest can be read only once, and so can the body of this request. An invalid method makes
    /// the request invalid.
    public init(_ request: URLRequest) {
        var headers = RequestHeaders()
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            // The length follows from the body.
            if name.lowercased() != "content-length" { headers.append(name, value) }
        }
        var body = RequestBody.empty
        if let data = request.httpBody {
            body = .data(data)
        } else if let stream = request.httpBodyStream {
            body = .stream(once: StreamPieces(stream))
        }
        let method = HTTPRequest.Method(request.httpMethod ?? "GET")
        self.init(
            method ?? .get, url: method == nil ? "" : request.url?.absoluteString ?? "", headers: headers, body: body)
        let seconds = request.timeoutInterval
        // Longer than ten years means no limit. `Duration` would trap at infinity.
        if seconds > 0, seconds != 60 { timeouts.idle = seconds < 315_360_000 ? .seconds(seconds) : nil }
        switch request.cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            cachePolicy = .reload
        case .returnCacheDataElseLoad: cachePolicy = .preferStored
        case .returnCacheDataDontLoad: cachePolicy = .onlyStored
        default: break
        }
    }
}

/// The bytes of an input stream. Reading blocks a thread of the concurrency pool while the stream has none.
// One reader uses the stream, because the body can be sent only once.
private struct StreamPieces: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = [UInt8]

    private let stream: InputStream

    init(_ stream: InputStream) { self.stream = stream }

    func makeAsyncIterator() -> StreamPieces { self }

    mutating func next() async throws -> [UInt8]? {
        if stream.streamStatus == .notOpen { stream.open() }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = stream.read(&buffer, maxLength: buffer.count)
        if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
        if count == 0 {
            stream.close()
            return nil
        }
        return Array(buffer.prefix(count))
    }
}

extension HTTPURLResponse {
    /// The response as URLSession would give it; nil if it has no URL. Fields of the same name are joined by commas.
    public convenience init?(_ response: Response) {
        guard let text = response.request.uri?.string, let url = URL(string: text) else { return nil }
        var fields: [String: String] = [:]
        var names: [String: String] = [:]
        for field in response.headers {
            // A dictionary that differs only in case would lose a value.
            let name = names[field.name.canonicalName, default: field.name.rawName]
            names[field.name.canonicalName] = name
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        let version = response.version.map { "\($0)" } ?? "HTTP/1.1"
        self.init(url: url, statusCode: response.statusCode, httpVersion: version, headerFields: fields)
    }
}
