// MixiAsyncURLConnection: calls with closures for completion, progress and errors, one after the other.
// It loads a page, a mislabelled page, an upload, a missing page, a POST that takes too long, and a page that is cancelled.

import Foundation
import Tsubame

let diary = PhotoDiary(api: Client(CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"))

diary.loadPage {
    diary.loadMislabelledPage {
        diary.uploadPhoto {
            diary.loadMissingPage {
                diary.postTooSlowly {
                    diary.cancelPage { exit(0) }
                }
            }
        }
    }
}
dispatchMain()
