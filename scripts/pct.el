;;; pct.el --- Reports of the Profile Collection Toolkit -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))
;; Keywords: tools, processes

;;; Commentary:

;; `pct-report' runs `pct line% DIR...' and shows its lines, the hottest first, in a
;; buffer like that of `grep': RET or a click on a line visits it, `next-error' (M-g n)
;; goes to the next one from any buffer, g runs the report again, with more samples of a
;; program that goes on.
;;
;; `pct-annotate-mode', in the buffer of a source file, shows the share of each line in
;; the left margin.  d on a line of a report that is a function without lines, or
;; `pct-disasm', shows its machine code.
;;
;; To use it, put into your init file:
;;
;;   (add-to-list 'load-path "/usr/local/share/emacs/site-lisp/pct")
;;   (autoload 'pct-report "pct" nil t)
;;   (autoload 'pct-annotate-mode "pct" nil t)

;;; Code:

(require 'compile)
(require 'subr-x)

(defgroup pct nil
  "Reports of the Profile Collection Toolkit."
  :group 'tools)

(defcustom pct-program "pct"
  "The command pct."
  :type 'string)

(defcustom pct-report-arguments '("-threshold" "0.5%")
  "Arguments of `pct line%' in reports, before the run directories."
  :type '(repeat string))

(defcustom pct-root (or (getenv "PCT_DIR") "/tmp/pct")
  "Where run directories are."
  :type 'directory)

(defface pct-hot '((t :inherit error))
  "Lines of a tenth of the time or more.")

(defface pct-warm '((t :inherit warning))
  "Lines of a fiftieth of the time or more.")

(defface pct-cool '((t :inherit shadow))
  "Other lines with samples.")

(defconst pct--row
  "^ *\\([0-9]+\\.[0-9]+\\)%\\(?: ±[0-9.]+\\)? +\\(\\(.+\\):\\([0-9]+\\)\\)$"
  "A row of `pct line%': share, place, file, line.")

(defvar pct-runs nil
  "The run directories that were asked for last.")

(defvar pct-report-mode-font-lock-keywords
  '(("^#.*" . font-lock-comment-face)
    ("^ *\\([1-9][0-9]\\|100\\)\\.[0-9]+%" . 'pct-hot)
    ("^ *[2-9]\\.[0-9]+%" . 'pct-warm)))

(defvar pct-report-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map compilation-minor-mode-map)
    (define-key map "g" #'recompile)
    (define-key map "n" #'next-error-no-select)
    (define-key map "p" #'previous-error-no-select)
    (define-key map "d" #'pct-disasm-at-point)
    map))

;;;###autoload
(define-compilation-mode pct-report-mode "PCT"
  "Lines of source files with their share of the time, the hottest first.
\\{pct-report-mode-map}"
  (setq-local compilation-error-regexp-alist (list (list pct--row 3 4 nil 0 2)))
  (setq-local compilation-mode-font-lock-keywords pct-report-mode-font-lock-keywords)
  ;; All rows count, and they are far apart: none is of the kind that is skipped.
  (setq-local compilation-skip-threshold 0)
  (setq-local compilation-scroll-output nil)
  (setq-local compilation-disable-input t))

(defun pct--read-runs ()
  "Read run directories, which may be patterns, separated by blanks."
  (let ((default (or pct-runs (pct--newest))))
    (split-string
     (read-string "Run directories: " (string-join default " ")))))

(defun pct--newest ()
  "Find the newest run directory; it is in a list, nil if there is none."
  (when (file-directory-p pct-root)
    (when-let* ((all (seq-filter (lambda (f) (eq (cadr f) t))
                                 (directory-files-and-attributes
                                  pct-root t directory-files-no-dot-files-regexp)))
                (sorted (sort all (lambda (a b)
                                    (time-less-p (file-attribute-modification-time (cdr b))
                                                 (file-attribute-modification-time (cdr a)))))))
      (list (caar sorted)))))

(defun pct--quoted (runs)
  "Make words of a shell of RUNS, in which *, ? and ~ keep their meaning."
  (mapconcat (lambda (run)
               (replace-regexp-in-string "\\\\\\([*?~]\\)" "\\1" (shell-quote-argument run)))
             runs " "))

;;;###autoload
(defun pct-report (runs)
  "Show the hot lines of RUNS, a list of run directories or patterns of such."
  (interactive (list (pct--read-runs)))
  (setq pct-runs runs)
  ;; The output goes to what is a terminal to pct; colours are ours to make. The buffer
  ;; keeps the variable for `recompile'.
  (let ((compilation-environment (cons "NO_COLOR=1" compilation-environment)))
    (compilation-start
     (string-join (list (shell-quote-argument pct-program) "line%"
                        (mapconcat #'shell-quote-argument pct-report-arguments " ")
                        (pct--quoted runs))
                  " ")
     #'pct-report-mode)))

;;;###autoload
(defun pct-disasm (function)
  "Show the machine code of FUNCTION with the share of each instruction."
  (interactive (list (read-string "Function: " (thing-at-point 'symbol t))))
  (unless pct-runs
    (setq pct-runs (pct--read-runs)))
  (let ((buffer (get-buffer-create (format "*pct-disasm %s*" function)))
        (command (string-join (list (shell-quote-argument pct-program) "disasm%" "-sym"
                                    (shell-quote-argument function) (pct--quoted pct-runs))
                              " ")))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (call-process-shell-command command nil t)
        (goto-char (point-min)))
      (special-mode))
    (display-buffer buffer)))

(defun pct-disasm-at-point ()
  "Show the machine code of the function that a report's row names."
  (interactive)
  (let ((row (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
    (cond ((string-match pct--row row)
           (user-error "This row is a line: RET visits it"))
          ((string-match ":\\([^: ]\\(?:.*[^:]\\)?\\)$" row)
           (pct-disasm (match-string 1 row)))
          (t (user-error "No function in this row")))))

(defvar-local pct--overlays nil
  "What `pct-annotate-mode' shows in this buffer.")

(defvar-local pct--old-margin nil
  "The width of the left margin before `pct-annotate-mode'.")

(defconst pct--margin 7
  "Columns of the margin: 100.0% and a blank.")

(defun pct--shares (file runs)
  "Ask for the shares of FILE's lines in RUNS: a list of (LINE . PERCENT)."
  (let ((file (file-truename file))
        shares)
    (with-temp-buffer
      (let ((status (call-process-shell-command
                     (string-join (list (shell-quote-argument pct-program) "line%" (pct--quoted runs)) " ")
                     nil '(t nil))))
        (unless (equal status 0)
          (user-error "No report of %s; M-x pct-report says why" (string-join runs " "))))
      (goto-char (point-min))
      (while (re-search-forward pct--row nil t)
        (let ((percent (string-to-number (match-string 1)))
              (line (string-to-number (match-string 4))))
          (when (equal file (file-truename (match-string 3)))
            (push (cons line percent) shares)))))
    shares))

(defun pct--annotate ()
  "Show the shares of the lines of this buffer's file."
  (pct--clear)
  (let ((shares (pct--shares buffer-file-name pct-runs)))
    (save-excursion
      (save-restriction
        (widen)
        (dolist (share shares)
          (goto-char (point-min))
          (when (zerop (forward-line (1- (car share))))
            (let* ((percent (cdr share))
                   (face (cond ((>= percent 10) 'pct-hot)
                               ((>= percent 2) 'pct-warm)
                               (t 'pct-cool)))
                   (text (propertize (format "%5.1f%%" percent) 'face face))
                   (overlay (make-overlay (point) (point))))
              (overlay-put overlay 'before-string
                           (propertize " " 'display `((margin left-margin) ,text)))
              (push overlay pct--overlays))))))
    (unless shares
      (message "No samples in this file"))))

(defun pct--clear ()
  "Take away what was shown by `pct--annotate'."
  (mapc #'delete-overlay pct--overlays)
  (setq pct--overlays nil))

(defun pct--set-margin (width)
  "Make the left margin WIDTH columns wide wherever this buffer is shown."
  (setq left-margin-width width)
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-buffer window (current-buffer))))

;;;###autoload
(define-minor-mode pct-annotate-mode
  "Show in the left margin the share of the time that each line has."
  :lighter " PCT"
  (if (not pct-annotate-mode)
      (progn
        (pct--clear)
        (pct--set-margin pct--old-margin))
    (condition-case err
        (progn
          (unless buffer-file-name
            (user-error "This buffer has no file"))
          (unless pct-runs
            (setq pct-runs (pct--read-runs)))
          (pct--annotate)
          (setq pct--old-margin left-margin-width)
          (pct--set-margin pct--margin))
      (error (setq pct-annotate-mode nil)
             (signal (car err) (cdr err))))))

(provide 'pct)

;;; pct.el ends here
