// Origin 4: connections with blocks for completion, progress and errors, and a timeout that fires for every method.
// A request, and what becomes of its response, stand in one place. The blocks run on the main thread.

import Foundation
import Tsubame

@MainActor
struct PhotoDiary {
    let api: Client

    /// A page in EUC-JP: its charset is honoured.
    func loadPage(then next: @escaping @MainActor () -> Void) {
        api.start(Request(.get, "euc-jp")) { result in
            complete("page", result) { response in
                let page = try response.text()
                return page.firstMatch(of: #/<title>(.*)</title>/#).map { String($0.1) } ?? "no title"
            }
            next()
        }
    }

    /// A photo, with a bar that grows as it is sent.
    func uploadPhoto(then next: @escaping @MainActor () -> Void) {
        struct Receipt: Decodable { let bytes: Int }

        let photo = Body.bytes([UInt8](repeating: 0xD8, count: 4 << 20), contentType: "image/jpeg")
        api.start(Request(.post, "upload", body: photo)) { progress in
            guard progress.received.bytes == 0 else { return }
            print("progress: \(Int((progress.sent.fraction ?? 0) * 100)) %")
        } then: { result in
            complete("photo", result) { "\(try $0.json(Receipt.self).bytes) bytes arrived" }
            next()
        }
    }

    /// An error of the server is an answer, not an error of the transfer.
    func loadMissingPage(then next: @escaping @MainActor () -> Void) {
        api.start(Request(.get, "status/404")) { result in
            complete("missing page", result) { "\($0.status)" }
            next()
        }
    }

    /// A POST that is not answered in time is ended.
    func postTooSlowly(then next: @escaping @MainActor () -> Void) {
        var comment = Request(.post, "delay/10", body: .form(["comment": "いい写真ですね"]))
        comment.timeouts.total = .milliseconds(500)
        api.start(comment) { result in
            fail("slow comment", result, as: .timeout)
            next()
        }
    }

    /// A call that nobody waits for any more.
    func cancelPage(then next: @escaping @MainActor () -> Void) {
        let call = api.start(Request(.get, "delay/10")) { result in
            fail("cancelled page", result, as: .cancelled)
            next()
        }
        call.cancel()
    }

    /// What completes; a transfer that fails ends the program.
    private func complete(
        _ what: String, _ result: Result<Response, CallError>, _ describe: (Response) throws -> String
    ) {
        do {
            print("\(what): \(try describe(result.get()))")
        } catch {
            print("\(what): \(error)")
            exit(1)
        }
    }

    /// What is meant to fail, in this way and no other.
    private func fail(_ what: String, _ result: Result<Response, CallError>, as kind: CallError.Kind) {
        switch result {
        case .failure(let error) where error.kind == kind:
            print("\(what): \(error)")
        default:
            print("\(what): \(result)")
            exit(1)
        }
    }
}
