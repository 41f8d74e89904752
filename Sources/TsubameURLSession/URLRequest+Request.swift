// The request as URLSession wants it.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HTTPTypes
import Tsubame
import TsubameCore

extension URLRequest {
    /// The head of the request.
    /// - Throws: `.unsupported` if URLSession would send something else.
    init(_ request: Request, _ exchange: TransportExchange) throws(CallError) {
        guard let text = request.uri?.string, let url = URL(string: text) else {
            throw CallError(.invalidRequest, "URLSession does not accept the URL")
        }
        guard !request.asksServer else { throw Self.unsupported("sends no request with the target *") }
        guard url.absoluteString == text else {
            throw Self.unsupported("would change the URL to \(url.absoluteString)")
        }
        guard request.method != .get || request.body.isEmpty else {
            throw Self.unsupported("sends no body with GET")
        }
        guard request.body.trailers == nil else { throw Self.unsupported("sends no trailer fields") }
        self.init(url: url)
        httpMethod = request.method.rawValue
        let host = request.uri?.authority
        for field in exchange.fields where field.name != .host || field.value != host {
            addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        setOwnFields(of: request)
    }

    /// Fields that URLSession would otherwise choose by itself.
    private mutating func setOwnFields(of request: Request) {
        let headers = request.headers
        // No coding but those that the client asks for.
        if headers[.acceptEncoding] == nil { setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        // An empty field means any language, as a missing one does.
        if headers[.acceptLanguage] == nil { setValue("", forHTTPHeaderField: "Accept-Language") }
        // FoundationNetworking calls a POST without a type a form.
        if request.method == .post, headers[.contentType] == nil, !request.body.isEmpty {
            setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
    }

    private static func unsupported(_ reason: String) -> CallError {
        CallError(
            .unsupported, "URLSession \(reason)",
            advice: "use another transport for this request, such as the built-in engine")
    }
}
