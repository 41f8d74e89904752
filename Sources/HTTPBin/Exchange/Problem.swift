// A request that cannot be answered as asked.
#if Server

/// Thrown by an endpoint; the responder answers it with the status and the text.
struct Problem: Error {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}

#endif
