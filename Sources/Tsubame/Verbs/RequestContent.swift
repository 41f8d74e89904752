// RequestContent: the content of a request, as the parameters of a verb give it.

import TsubameCore
import TsubameWire

/// The content of a request: at most one of a body, a JSON value, a form and parts.
struct RequestContent {
    let body: RequestBody

    init(
        _ body: RequestBody, _ json: any Encodable & Sendable, _ form: Parameters?,
        _ multipart: ((inout MultipartForm) -> Void)?
    ) {
        let value: (any Encodable & Sendable)? = json is NoContent ? nil : json
        self.body =
            switch (body.isEmpty, value, form, multipart) {
            case (_, nil, nil, nil): body
            case (true, let value?, nil, nil): .json(value)
            case (true, nil, let form?, nil): .form(form)
            case (true, nil, nil, let multipart?): .multipart(multipart)
            default:
                .failed(
                    CallError(
                        .misuse, "a request has one content, and two were given",
                        advice: "give one of body, json, form and multipart"))
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
