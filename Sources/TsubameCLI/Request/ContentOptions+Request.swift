// ContentOptions+Request: makes the request of words, items and options.

import Tsubame

extension ContentOptions {
    /// Checks that the options and the items do not both give a body.
    func check(_ items: RequestContent) throws(UsageProblem) {
        if items.hasBody, raw != nil {
            throw UsageProblem("--raw and items both give a body; only one can be sent.")
        }
    }

    /// The body that the options or the items give, without a standard input that no option names.
    func body(of items: RequestContent) throws -> RequestBody {
        guard let raw else { return items.body }
        do {
            return try RawBody.make(raw, self)
        } catch let error as SystemError {
            throw error.of("--raw")
        }
    }

    /// The request for the URL of the plan.
    /// - Parameters:
    ///   - isDownload: whether the body of the response is saved as the server stores it.
    ///   - tap: gets each piece of the body when it is sent; nil if that is not needed.
    func request(
        _ words: RequestWords, _ items: RequestContent, _ body: RequestBody, _ plan: CallPlan,
        isDownload: Bool = false, tap: (@Sendable (Bytes) async -> Void)? = nil
    ) throws -> Request {
        var body = body
        var headers = items.headers(for: body)
        if compress > 0, !body.isEmpty {
            guard !items.unset.contains(.contentEncoding) else {
                throw UsageProblem("--compress needs Content-Encoding, and an item leaves it out.")
            }
            let named = headers[.contentEncoding]
            guard let coding = named.map({ ContentCoding(rawValue: $0.lowercased()) }) ?? .gzip else {
                throw UsageProblem("--compress cannot encode a body as the Content-Encoding item says.")
            }
            // The body says which coding it has, and has none if it would not become smaller.
            headers[.contentEncoding] = nil
            body = body.compressed(by: coding, onlyIfSmaller: compress == 1)
        }
        if body.isEmpty, !items.unset.contains(.contentType), let type = format.typeWithoutData,
            !headers.contains(.contentType)
        {
            headers[.contentType] = type
        }
        if chunked { body = body.chunked() }
        if let tap { body = body.tapped(tap) }
        guard let method = HTTPRequest.Method(words.method ?? (body.isEmpty ? "GET" : "POST")) else {
            throw UsageProblem("“\(words.method ?? "")” is not a method.")
        }
        guard !asksServer || method == .options else {
            throw UsageProblem("--request-target * needs the method OPTIONS.")
        }
        var request = Request(
            method, url: plan.url, keepingDotSegments: pathAsIs, query: items.query,
            headers: RequestHeaders(plan.fields(headers)), body: body)
        if asksServer { request.asksServer = true }
        if isDownload, !plan.sessionKeeps(.acceptEncoding) { request.askForContentAsStored() }
        return request
    }
}
