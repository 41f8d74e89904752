// RequestContent: the content of a request, as the parameters of a verb give it.

import TsubameCore
import TsubameWire

/// Stands for a parameter `json` that was not given. A value of nil is given: it is sent as `null`.
public struct NoContent: Encodable, Sendable {
    /// Makes the mark.
    public init() {}
}

/// The content of a request: at most one of a body, a JSON value, a form and parts.
struct RequestContent {
    let body: RequestBody

    init(
        _ body: RequestBody, _ json: any Encodable & Sendable, _ form: Parameters?,
        _ multipart: ((inout MultipartForm) -> Void)?
    ) {
        let value = json is NoContent ? nil : json
        guard [!body.isEmpty, value != nil, form != nil, multipart != nil].count(where: \.self) < 2 else {
            self.body = .failed(
                CallError(
                    .misuse, "a request has one content, and two were given",
                    advice: "give one of body, json, form and multipart"))
            return
        }
        if let value {
            self.body = .json(value)
        } else if let form {
            self.body = .form(form)
        } else if let multipart {
            self.body = .multipart(multipart)
        } else {
            self.body = body
        }
    }
}

extension Client {
    /// Sends the request with this content.
    func send(_ content: RequestContent, in request: consuming Request) async throws(CallError) -> Response {
        request.body = content.body
        // A value may take long to encode, and the caller's actor may be the main one.
        if content.body.isDeferred { return try await sendElsewhere(request) }
        return try await sendHere(request)
    }

    @concurrent
    private func sendElsewhere(_ request: Request) async throws(CallError) -> Response {
        try await sendHere(request)
    }
}
