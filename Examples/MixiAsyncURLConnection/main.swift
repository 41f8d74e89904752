// Origin 4: connections with blocks for completion, progress and errors, and a timeout that fires for every method.
// One after the other: a page, an upload, a missing page, a POST that takes too long, a page that is cancelled.

import Foundation
import Tsubame

let diary = PhotoDiary(api: Client(CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"))

diary.loadPage {
    diary.uploadPhoto {
        diary.loadMissingPage {
            diary.postTooSlowly {
                diary.cancelPage { exit(0) }
            }
        }
    }
}
dispatchMain()
