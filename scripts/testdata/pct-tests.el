;;; pct-tests.el --- Tests of pct.el -*- lexical-binding: t -*-

;; emacs_test.go runs these, with pct in the path, and in the working directory
;; hot.c, the program hot, and two run directories of it, hot.1 and hot.2.

(require 'ert)
(require 'pct)

(defun pct-tests-wait ()
  "Wait until the report is complete, and return its buffer."
  (let ((buffer (get-buffer "*pct-report*")))
    (while (process-live-p (get-buffer-process buffer))
      (accept-process-output nil 0.1))
    ;; The sentinel writes the end of the buffer.
    (while (with-current-buffer buffer compilation-in-progress)
      (accept-process-output nil 0.1))
    buffer))

(defun pct-tests-place ()
  "Return where the selected window is: base name of the file, line."
  (with-current-buffer (window-buffer)
    (list (file-name-nondirectory buffer-file-name) (line-number-at-pos))))

(ert-deftest pct-tests-next-error-goes-down ()
  (pct-report '("hot.1"))
  (with-current-buffer (pct-tests-wait)
    (should (derived-mode-p 'compilation-mode))
    (goto-char (point-min))
    (should (re-search-forward "^ 60\\.0%   /.*/hot\\.c:6$" nil t)))
  (next-error)
  (should (equal (pct-tests-place) '("hot.c" 6)))
  (next-error)
  (should (equal (pct-tests-place) '("hot.c" 12)))
  (should-error (next-error))
  (previous-error)
  (should (equal (pct-tests-place) '("hot.c" 6))))

(ert-deftest pct-tests-rows-are-visited ()
  (pct-report '("hot.1"))
  (with-current-buffer (pct-tests-wait)
    (goto-char (point-min))
    (compilation--ensure-parse (point-max)) ; as the display does
    (re-search-forward "hot\\.c:12")
    (should (get-text-property (match-beginning 0) 'mouse-face))
    (call-interactively (lookup-key pct-report-mode-map "\r")))
  (should (equal (pct-tests-place) '("hot.c" 12))))

(ert-deftest pct-tests-again ()
  "A pattern stands for more run directories the next time."
  (let ((later (expand-file-name "later")))
    (make-directory later)
    (copy-directory "hot.1" (expand-file-name "hot.1" later))
    (pct-report '("later/*"))
    (with-current-buffer (pct-tests-wait)
      (should (string-match-p "^# 10 samples," (buffer-string)))
      (copy-directory "hot.2" (expand-file-name "hot.2" later))
      (should (eq (lookup-key (current-local-map) "g") 'recompile))
      (recompile))
    (with-current-buffer (pct-tests-wait)
      (should (string-match-p "^# 20 samples" (buffer-string)))
      (should (string-match-p "^ 45\\.0%   /.*/hot\\.c:12$" (buffer-string))))))

(ert-deftest pct-tests-failure-is-seen ()
  (pct-report '("no such*run"))
  (with-current-buffer (pct-tests-wait)
    (should (string-match-p "no such\\*run" (buffer-string)))
    (should (string-match-p "exited abnormally with code 1" (buffer-string)))))

(defun pct-tests-margin ()
  "Return what stands in the margin of this buffer: a list of (LINE TEXT FACE)."
  (sort (mapcar (lambda (overlay)
                  (let ((text (nth 1 (get-text-property 0 'display (overlay-get overlay 'before-string)))))
                    (list (line-number-at-pos (overlay-start overlay))
                          (substring-no-properties text) (get-text-property 0 'face text))))
                pct--overlays)
        #'car-less-than-car))

(ert-deftest pct-tests-annotate ()
  (setq pct-runs '("hot.1" "hot.2"))
  (with-current-buffer (find-file-noselect "hot.c")
    (switch-to-buffer (current-buffer))
    (pct-annotate-mode)
    (should (equal (pct-tests-margin) '((6 " 30.0%" pct-hot) (8 "  5.0%" pct-warm) (12 " 45.0%" pct-hot))))
    (should (equal (car (window-margins)) 7))
    (pct-annotate-mode -1)
    (should-not (pct-tests-margin))
    (should-not (overlays-in (point-min) (point-max)))
    (should-not (car (window-margins)))))

(ert-deftest pct-tests-annotate-without-runs ()
  (setq pct-runs '("nowhere"))
  (with-current-buffer (find-file-noselect "hot.c")
    (should-error (pct-annotate-mode) :type 'user-error)
    (should-not pct-annotate-mode))
  (setq pct-runs nil)
  (with-temp-buffer
    (should-error (pct-annotate-mode) :type 'user-error)))

(ert-deftest pct-tests-disasm ()
  (pct-report '("hot.2"))
  (with-current-buffer (pct-tests-wait)
    (goto-char (point-min))
    (re-search-forward "hot\\.c:12")
    (should-error (pct-disasm-at-point) :type 'user-error)
    (re-search-forward ":nolines$")
    (pct-disasm-at-point))
  (with-current-buffer "*pct-disasm nolines*"
    (should (derived-mode-p 'special-mode))
    (should (string-match-p "^nolines in .*/hot at 0x" (buffer-string)))
    (should (string-match-p "^ 10\\.0% | +[0-9a-f]+:\tnop$" (buffer-string)))))

(ert-deftest pct-tests-newest-run ()
  (let ((pct-root default-directory))
    (set-file-times "hot.1" (time-add nil 7200))
    (should (equal (pct--newest) (list (expand-file-name "hot.1")))))
  (let ((pct-root "/nonexistent"))
    (should-not (pct--newest))))

;;; pct-tests.el ends here
