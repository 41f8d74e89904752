// Problem: an error that an endpoint throws, with the status and the text of the response.
#if Server

/// The responder turns a thrown problem into the response.
struct Problem: Error {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}

#endif
